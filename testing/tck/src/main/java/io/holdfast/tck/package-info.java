/**
 * The contract of a lock store as JUnit suites. This package has what the test of a store writes and uses: a {@link
 * io.holdfast.tck.StoreFixture}, times, clients. The suites are in {@code io.holdfast.tck.store} and {@code
 * io.holdfast.tck.engine}; a test class extends one of them. Every test names its clauses ({@link
 * io.holdfast.tck.Clause}): S, Q and M of {@code io.holdfast.spi}, and the rules of the protocol.
 */
@NullMarked
package io.holdfast.tck;

import org.jspecify.annotations.NullMarked;
