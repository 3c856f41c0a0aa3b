/** The contract that every lock store passes, as JUnit suites. */
module io.holdfast.tck {
    requires transitive io.holdfast.core;
    requires transitive org.junit.jupiter.api;
    requires org.assertj.core;
    requires static org.jspecify;

    exports io.holdfast.tck;

    opens io.holdfast.tck;
}
