return refused or 'A'
