package io.holdfast.guard.jdbc;

import io.holdfast.fence.Marks;

/**
 * What the fence table says about a resource.
 *
 * @param resource what is guarded
 * @param lockName the lock that protects it
 * @param marks the highest tokens it has admitted
 */
public record FenceRow(String resource, String lockName, Marks marks) {}
