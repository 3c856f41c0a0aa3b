package io.holdfast.redis;

import io.holdfast.LockStatus;
import io.holdfast.redis.wire.RedisWire;
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

/**
 * Lists locks: SCAN for their keys, then a look at each, in the order of the names' bytes, until enough are found. SCAN
 * goes through the whole key space without blocking the server; it is for people, not for programs in a loop.
 */
final class LockScan {
    private static final int PAGE = 1000;
    private static final int LOOKS = 200;

    private final RedisWire wire;
    private final LockCalls calls;
    private final String prefix;
    private final int limit;
    private final TreeSet<String> names = new TreeSet<>(LockScan::byBytes);
    private final List<LockStatus> found = new ArrayList<>();
    private final ScanArgs args;

    LockScan(RedisWire wire, LockCalls calls, String prefix, int limit) {
        this.wire = wire;
        this.calls = calls;
        this.prefix = prefix;
        this.limit = limit;
        this.args = ScanArgs.Builder.matches(calls.keys().pattern(prefix)).limit(PAGE);
    }

    /** Everything that begins with the prefix, within {@code ioNanos}. */
    CompletionStage<List<LockStatus>> run(long ioNanos) {
        return page(ScanCursor.INITIAL)
                .thenCompose(done -> look())
                .orTimeout(ioNanos, TimeUnit.NANOSECONDS)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        failure instanceof java.util.concurrent.TimeoutException
                                ? new io.holdfast.StoreUnavailableException(
                                        wire.where() + " has too many keys to list them in time: ask for one name,"
                                                + " or give Holdfast a database of its own",
                                        false,
                                        failure)
                                : failure));
    }

    private CompletableFuture<Boolean> page(ScanCursor cursor) {
        CompletableFuture<KeyScanCursor<String>> page = wire.call(redis -> redis.scan(cursor, args));
        return page.thenCompose(keys -> {
            for (String key : keys.getKeys()) {
                String name = calls.keys().nameOf(key);
                if (name.startsWith(prefix)) {
                    names.add(name);
                }
            }
            return keys.isFinished() ? CompletableFuture.completedFuture(true) : page(keys);
        });
    }

    private CompletableFuture<List<LockStatus>> look() {
        List<CompletableFuture<LockStatus>> looks = new ArrayList<>();
        while (!names.isEmpty() && looks.size() < LOOKS) {
            looks.add(calls.inspect(names.pollFirst()));
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
