package io.holdfast.redis.claim;

import io.holdfast.LockStatus;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.wire.SupervisedConnection;
import io.holdfast.spi.LockQuery;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Lists locks: SCAN for their keys, then a look at each, in the order of the names' bytes, until enough are found. SCAN
 * goes through all keys of the server without blocking it. It is meant for operators, not for programs in a loop.
 */
final class LockScan {
    private static final int PAGE = 1000;
    private static final int LOOKS = 200;

    private final SupervisedConnection connection;
    private final LockKeys keys;
    private final Function<String, CompletableFuture<LockStatus>> inspect;
    private final String prefix;
    private final int limit;
    private final TreeSet<String> names = new TreeSet<>(LockScan::byBytes);
    private final List<LockStatus> found = new ArrayList<>();
    private final ScanArgs args;

    /** @param inspect looks at one lock */
    LockScan(
            SupervisedConnection connection,
            LockKeys keys,
            Function<String, CompletableFuture<LockStatus>> inspect,
            LockQuery query) {
        this.connection = connection;
        this.keys = keys;
        this.inspect = inspect;
        this.prefix = query.text();
        this.limit = query.limit();
        this.args = ScanArgs.Builder.matches(keys.pattern(prefix)).limit(PAGE);
    }

    /** Everything that begins with the prefix, within {@code ioNanos}. */
    CompletionStage<List<LockStatus>> run(long ioNanos) {
        return page(ScanCursor.INITIAL)
                .thenCompose(done -> look())
                .orTimeout(ioNanos, TimeUnit.NANOSECONDS)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        failure instanceof TimeoutException
                                ? new StoreUnavailableException(
                                        connection.where()
                                                + " has too many keys to list them in time: ask for one name,"
                                                + " or give Holdfast a database of its own",
                                        false,
                                        failure)
                                : failure));
    }

    private CompletableFuture<Boolean> page(ScanCursor cursor) {
        CompletableFuture<KeyScanCursor<String>> page = connection.call(redis -> redis.scan(cursor, args));
        return page.thenCompose(found -> {
            for (String key : found.getKeys()) {
                String name = keys.nameOf(key);
                if (name.startsWith(prefix)) {
                    names.add(name);
                }
            }
            return found.isFinished() ? CompletableFuture.completedFuture(true) : page(found);
        });
    }

    private CompletableFuture<List<LockStatus>> look() {
        List<CompletableFuture<LockStatus>> looks = new ArrayList<>();
        while (!names.isEmpty() && looks.size() < LOOKS) {
            looks.add(inspect.apply(names.pollFirst()));
        }
        return CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new)).thenCompose(done -> {
            for (CompletableFuture<LockStatus> look : looks) {
                LockStatus status = look.join();
                boolean busy = status.held()
                        || status.waiting() > 0
                        || !status.lockDelay().isZero();
                if (busy && found.size() < limit) {
                    found.add(status);
                }
            }
            return names.isEmpty() || found.size() >= limit ? CompletableFuture.completedFuture(found) : look();
        });
    }

    private static int byBytes(String a, String b) {
        return Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray());
    }
}
