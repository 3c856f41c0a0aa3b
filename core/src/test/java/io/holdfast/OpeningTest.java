package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.LockStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What somebody is told who opens a client the wrong way. No store is on the class path of this module. */
class OpeningTest {
    @Test
    void withoutAUrlThereIsNoPrivateDefault() {
        assertThat(System.getenv(Holdfast.STORE_VARIABLE))
                .as("the build clears it")
                .isNull();

        assertThatThrownBy(Holdfast::open)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("HOLDFAST_STORE")
                .hasMessageContaining("Holdfast.embedded()");
        assertThatThrownBy(() -> Holdfast.builder().open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no store");
    }

    @Test
    void aSchemeThatNoStoreOpensIsNamedWithoutThePasswordAndWithTheRemedy() {
        assertThatThrownBy(() -> Holdfast.open("reddis://me:hunter2@localhost"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'reddis://***@localhost'")
                .hasMessageContaining("scheme 'reddis'")
                .hasMessageContaining("add the artifact of that store")
                .hasMessageContaining("there is no store on the class path")
                .message()
                .doesNotContain("hunter2", "\n");
    }

    @Test
    void aStoreAndAUrlOrANamespaceContradictEachOther() {
        LockStore open = untouched();

        assertThatThrownBy(() -> Holdfast.builder().store(open).url("memory:").open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not both");
        assertThatThrownBy(
                        () -> Holdfast.builder().store(open).namespace("team").open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("namespace 'team'");
    }

    @Test
    void badSettingsAreRefusedWhereTheyAreGiven() {
        HoldfastBuilder builder = Holdfast.builder();

        assertThatThrownBy(() -> builder.namespace("a\nb")).hasMessageStartingWith("namespace 'a?b'");
        assertThatThrownBy(() -> builder.label("a\nb")).hasMessageStartingWith("label: ");
        assertThatThrownBy(() -> builder.handoffTime(Duration.ofMillis(-1)))
                .hasMessage("handoffTime: zero to 365 days, but got PT-0.001S");
    }

    /** A store that must not be called. */
    private static LockStore untouched() {
        return (LockStore) Proxy.newProxyInstance(
                OpeningTest.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, arguments) -> {
                    throw new AssertionError(method + " was called");
                });
    }
}
