package io.holdfast.bench.workloads;

import io.holdfast.Holdfast;
import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Kind;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import java.nio.file.Path;
import java.util.List;

/** What the embedded store adds to its two statements. */
public final class SqliteFloor implements Workload {
    private static final int BATCH = 50;
    private static final String RAW = "raw JDBC";
    private static final String STORE = "sqlite store";

    /** For {@link java.util.ServiceLoader}. */
    public SqliteFloor() {}

    @Override
    public String id() {
        return "sqlite-floor";
    }

    @Override
    public String question() {
        return "acquire + release over the SQLite store, against raw JDBC doing the same two statements";
    }

    @Override
    public List<Contestant> contestants() {
        return List.of(
                new OnFile(RAW, SqliteFloor::raw),
                new OnFile(STORE, SqliteFloor::store),
                new OnFile("holdfast", SqliteFloor::client));
    }

    @Override
    public String baseline() {
        return RAW;
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.ratio(STORE, RepeatedWork.RATE, Bar.Relation.AT_LEAST, 0.7));
    }

    private static Measurement raw(Run run, Path file) throws Exception {
        try (RawJdbc raw = new RawJdbc(file, BATCH)) {
            return RepeatedWork.measure(run, raw);
        }
    }

    private static Measurement store(Run run, Path file) throws Exception {
        try (RawStore store = new RawStore(SqliteFile.open(file), BATCH)) {
            return RepeatedWork.measure(run, store);
        }
    }

    private static Measurement client(Run run, Path file) throws Exception {
        try (Holdfast client = Holdfast.open("sqlite:" + file)) {
            return RepeatedWork.measure(run, new Uncontended.LockPairs(client.mutex("pair"), BATCH));
        }
    }

    /** Measures on a file. */
    @FunctionalInterface
    private interface Body {
        Measurement measure(Run run, Path file) throws Exception;
    }

    /** On a new file, which is deleted afterwards. */
    private record OnFile(String name, Body body) implements Contestant {
        @Override
        public Kind kind() {
            return name.equals(RAW) ? Kind.FLOOR : Kind.HOLDFAST;
        }

        @Override
        public Measurement measure(Run run) throws Exception {
            try (TemporaryFolder folder = new TemporaryFolder()) {
                return body.measure(run, folder.path().resolve("locks.db"));
            }
        }
    }
}
