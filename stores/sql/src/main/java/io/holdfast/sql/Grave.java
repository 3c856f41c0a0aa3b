package io.holdfast.sql;

import io.holdfast.spi.HolderId;

/**
 * A {@link Tombstone} as it stands in the row of its name: this holder is not granted (again) before {@code until} (L1).
 *
 * @param holder who
 * @param kind what became of it
 * @param until how long it is remembered, in nanoseconds on the database's clock
 */
record Grave(HolderId holder, Tombstone kind, long until) {}
