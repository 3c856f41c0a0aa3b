/** The Holdfast API, the store contract and fencing. */
module io.holdfast.core {
    requires static org.jspecify;

    exports io.holdfast;
    exports io.holdfast.spi;
    exports io.holdfast.spi.support;
    exports io.holdfast.fence;

    uses io.holdfast.spi.StoreProvider;
}
