/** The contract of a lock store: the suites that the test of a store extends, and their clauses S, Q and M. */
@NullMarked
package io.holdfast.tck.store;

import org.jspecify.annotations.NullMarked;
