/**
 * The reference store: locks inside one JVM. {@link io.holdfast.memory.LockTable} decides, without time, threads or
 * randomness of its own; {@link io.holdfast.memory.MemorySpace} puts clocks and locks around it; {@link
 * io.holdfast.memory.MemoryLockStore} is one client's door to a space.
 */
@NullMarked
package io.holdfast.memory;

import org.jspecify.annotations.NullMarked;
