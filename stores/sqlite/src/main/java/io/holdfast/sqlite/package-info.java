/**
 * The embedded store: locks in a SQLite file that the processes of one machine share. {@link
 * io.holdfast.sqlite.EmbeddedStoreProvider} opens it; {@code LeaseVerbs} has the rules of its rows.
 */
@NullMarked
package io.holdfast.sqlite;

import org.jspecify.annotations.NullMarked;
