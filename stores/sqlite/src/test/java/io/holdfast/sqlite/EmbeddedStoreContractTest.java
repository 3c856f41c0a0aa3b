package io.holdfast.sqlite;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.store.LockStoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The contract of stores, on a file of a machine whose clocks the suite moves. */
final class EmbeddedStoreContractTest extends LockStoreContract {
    @TempDir
    Path folder = Path.of("");

    @Override
    protected StoreFixture fixture() {
        return EmbeddedFixture.steered(folder);
    }
}
