package io.holdfast.bench.process;

import io.holdfast.bench.library.LockLibraries;
import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.measure.LockClient;
import io.holdfast.bench.store.StoreUnderTest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Another process that holds a lock until it is killed. */
public final class LockChild implements AutoCloseable {
    private static final String HELD = "held ";

    private final ChildJvm jvm;
    private final long token;

    private LockChild(ChildJvm jvm, long token) {
        this.jvm = jvm;
        this.token = token;
    }

    /** Starts it and waits until it holds the lock. */
    public static LockChild holding(StoreUnderTest store, LockLibrary library, String url, Duration ttl, String lock)
            throws IOException {
        ChildJvm jvm = ChildJvm.start(
                LockChild.class,
                List.of("-XX:TieredStopAtLevel=1"),
                List.of(
                        store.catalog().getClass().getName(),
                        library.title(),
                        url,
                        Long.toString(ttl.toMillis()),
                        lock));
        try {
            return new LockChild(jvm, jvm.answer(HELD));
        } catch (IOException e) {
            jvm.close();
            throw e;
        }
    }

    /** Its fencing token, or 0. */
    public long token() {
        return token;
    }

    /** {@code kill -9}. */
    public void kill() {
        jvm.kill();
    }

    @Override
    public void close() throws IOException {
        jvm.close();
    }

    /** {@code args}: catalog, library, URL, TTL in milliseconds, lock. Ends when its parent closes its standard input. */
    public static void main(String[] args) throws Exception {
        ChildJvm.endWithTheParent();
        LockClient.Handle handle = LockLibraries.find(args[0], args[1])
                .openCold(args[2], Duration.ofMillis(Long.parseLong(args[3])))
                .handle(args[4]);
        System.out.println(HELD + handle.lock());
        while (System.in.read() >= 0) {
            // Ends when the parent closes the pipe.
        }
        Runtime.getRuntime().halt(handle.isHeld() ? 0 : 1);
    }
}
