package io.holdfast.sqlite;

import io.holdfast.spi.LockStore;
import io.holdfast.tck.MachineTime;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.TestTime;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** A fresh lock file: of a machine whose clocks the suite moves, or of the real one, where other processes find it. */
record EmbeddedFixture(Lockfile file, TestTime time, boolean real) implements StoreFixture {
    static EmbeddedFixture steered(Path folder) {
        Lockfile file = new Lockfile(folder.resolve("locks.db"));
        return new EmbeddedFixture(file, file.time, false);
    }

    static EmbeddedFixture real(Path folder) {
        return new EmbeddedFixture(new Lockfile(folder.resolve("locks.db")), new MachineTime(), true);
    }

    @Override
    public LockStore open(String clientName) {
        return real ? file.openReal() : file.open();
    }

    @Override
    public Duration shortTtl() {
        return TestTime.scaled(Duration.ofSeconds(1));
    }

    @Override
    public Set<Fault> declines() {
        return real ? Set.of(Fault.STEP_WALL_CLOCK) : Set.of();
    }

    @Override
    public void loseData() throws SQLException {
        file.sql("DELETE FROM holdfast_lock", "DELETE FROM holdfast_share", "DELETE FROM holdfast_bucket");
    }

    @Override
    public void stepWallClock(Duration by) {
        file.time.stepWallClock(by);
    }

    @Override
    public Optional<String> url() {
        return real ? Optional.of("sqlite:" + file.path) : Optional.empty();
    }

    @Override
    public void close() {
        time.close();
    }
}
