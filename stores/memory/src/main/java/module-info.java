/** Locks inside one JVM: the reference store. */
module io.holdfast.memory {
    requires transitive io.holdfast.core;
    requires static org.jspecify;

    exports io.holdfast.memory;

    provides io.holdfast.spi.StoreProvider with
            io.holdfast.memory.MemoryStoreProvider;
}
