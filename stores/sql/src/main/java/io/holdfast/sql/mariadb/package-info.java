/** MariaDB and MySQL: their tables, statements and locks. */
@NullMarked
package io.holdfast.sql.mariadb;

import org.jspecify.annotations.NullMarked;
