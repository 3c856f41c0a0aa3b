/** Locks that the database keeps for a connection and frees when the connection ends: advisory locks and row locks. */
@NullMarked
package io.holdfast.sql.session;

import org.jspecify.annotations.NullMarked;
