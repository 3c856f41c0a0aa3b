package io.holdfast.tck;

/** What clauses stand on. */
interface InWorld {
    /** The world of the running test. */
    ContractWorld world();
}
