package io.holdfast.sql.rows;

import io.holdfast.spi.HolderId;

/**
 * A holder id whose claim is over and which is not granted (again) before {@code until} (L1). It stands in the row of its
 * name.
 *
 * @param holder the id
 * @param revoked whether the claim was revoked; else it was released, or its lease ran out
 * @param until how long it is remembered, in nanoseconds on the database's clock
 */
public record Tombstone(HolderId holder, boolean revoked, long until) {}
