package io.holdfast.bench.workloads;

import io.holdfast.sqlite.StoreStatements;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/** The two statements of the embedded store, and nothing around them. */
final class RawJdbc implements RepeatedWork.Batch, AutoCloseable {
    private static final String NAME = "pair";
    private static final long TTL_NANOS = 30_000_000_000L;

    private final byte[][] holders;
    private final RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
    private final int bucket = StoreStatements.bucket(NAME);
    private final Connection connection;
    private final PreparedStatement acquire;
    private final PreparedStatement release;

    RawJdbc(Path file, int batchSize) throws SQLException {
        holders = new byte[batchSize][20];
        connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        StoreStatements.prepare(connection, file.toString());
        acquire = connection.prepareStatement(StoreStatements.acquire());
        release = connection.prepareStatement(StoreStatements.release());
    }

    @Override
    public int size() {
        return holders.length;
    }

    @Override
    public void prepare() {
        Arrays.stream(holders).forEach(random::nextBytes);
    }

    @Override
    public void work(int index) throws SQLException {
        byte[] holder = holders[index];
        acquire.setString(1, NAME);
        acquire.setBytes(2, holder);
        acquire.setLong(3, System.currentTimeMillis() * 1000);
        acquire.setLong(4, System.nanoTime());
        acquire.setLong(5, TTL_NANOS);
        acquire.setLong(6, 0);
        acquire.setInt(7, 1);
        acquire.setString(8, "bench");
        acquire.setString(9, "bench");
        acquire.setInt(10, bucket);
        answers(acquire, holder);
        release.setString(1, NAME);
        release.setBytes(2, holder);
        release.setLong(3, System.nanoTime());
        answers(release, holder);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    /** Reads to the end, where the statement commits. */
    private static void answers(PreparedStatement statement, byte[] holder) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            boolean own = false;
            while (rows.next()) {
                own |= Arrays.equals(rows.getBytes(1), holder);
            }
            if (!own) {
                throw new SQLException("the statement had no effect");
            }
        }
    }
}
