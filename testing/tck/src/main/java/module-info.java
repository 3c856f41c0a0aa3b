/** The contract of a lock store as JUnit suites. JUnit runs their methods by reflection. */
module io.holdfast.tck {
    requires static org.jspecify;
    requires transitive io.holdfast.core;
    requires transitive org.junit.jupiter.api;
    requires org.assertj.core;
    requires org.opentest4j;

    exports io.holdfast.tck;
    exports io.holdfast.tck.store;
    exports io.holdfast.tck.engine;
    exports io.holdfast.tck.process;

    opens io.holdfast.tck;
    opens io.holdfast.tck.store;
    opens io.holdfast.tck.engine;
}
