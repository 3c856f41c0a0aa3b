/**
 * Locks in SQL databases. {@link io.holdfast.jdbc.LeaseRowStore} keeps leases as rows and is the same for every
 * database; what differs (statements, clock, errors) is a {@link io.holdfast.jdbc.SqlDialect}. SQLite is the embedded
 * store of one machine.
 */
@NullMarked
package io.holdfast.jdbc;

import org.jspecify.annotations.NullMarked;
