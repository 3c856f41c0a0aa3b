/**
 * The contract of a lock store as JUnit suites. A store writes a {@link io.holdfast.tck.StoreFixture} and one test class
 * that extends {@link io.holdfast.tck.LockStoreContract}, {@link io.holdfast.tck.WatchableStoreContract} or {@link
 * io.holdfast.tck.QueueingStoreContract}. Every test names the clauses it holds the store to ({@link
 * io.holdfast.tck.Clause}): S…, Q…, M… of {@code io.holdfast.spi} and the rules of the protocol.
 */
@NullMarked
package io.holdfast.tck;

import org.jspecify.annotations.NullMarked;
