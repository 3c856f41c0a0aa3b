package io.holdfast.tck.store;

import io.holdfast.tck.ContractWorld;

/** What the clauses of a store use: the world of the running test. */
interface StoreClauses {
    /** The world of the running test. */
    ContractWorld world();
}
