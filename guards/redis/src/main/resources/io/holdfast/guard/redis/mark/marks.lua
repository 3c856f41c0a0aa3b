-- The rule of io.holdfast.fence.Marks. KEYS[1]: 'any exclusive lock-name'. ARGV: mode, token, lock name.
-- Tokens are compared as decimal strings, because those of other stores may need more than 53 bits (U24).
local function lower(a, b) return #a < #b or (#a == #b and a < b) end
-- Answers why the token is refused, or with the mark that is to be written with the data.
local function judge(mark)
  local mode, token, name = ARGV[1], ARGV[2], ARGV[3]
  local any, exclusive = '0', '0'
  if mark then
    local guarded
    any, exclusive, guarded = string.match(mark, '^(%d+) (%d+) (.+)$')
    if guarded ~= name then return 'O ' .. guarded end
  end
  if mode == 'X' and lower(token, any) then return 'S ' .. any end
  if mode == 'S' and not lower(exclusive, token) then return 'S ' .. exclusive end
  if lower(any, token) then any = token end
  if mode == 'X' then exclusive = token end
  return nil, any .. ' ' .. exclusive .. ' ' .. name
end
