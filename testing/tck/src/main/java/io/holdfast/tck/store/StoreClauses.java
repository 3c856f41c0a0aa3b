package io.holdfast.tck.store;

import io.holdfast.tck.ContractWorld;

/** What clauses stand on. */
interface StoreClauses {
    /** The world of the running test. */
    ContractWorld world();
}
