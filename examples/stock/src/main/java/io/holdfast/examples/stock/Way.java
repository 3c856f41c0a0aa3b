package io.holdfast.examples.stock;

/** How a seller protects the stock. */
enum Way {
    /** Read, compute, write. */
    NO_LOCK("no lock"),
    /** The same inside a lock, with a look at the lease right before the write. */
    LOCK("lock only"),
    /** The same inside a lock, and the database refuses whoever has lost it. */
    GUARD("lock + guard"),
    /** No lock: the write says what it expects to find. */
    OPTIMISTIC("optimistic");

    private final String title;

    Way(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
