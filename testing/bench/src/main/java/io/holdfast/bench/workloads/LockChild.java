package io.holdfast.bench.workloads;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Another process that holds a lock until it is killed. */
final class LockChild implements AutoCloseable {
    private static final String HELD = "held ";

    private final ChildJvm jvm;
    private final long token;

    private LockChild(ChildJvm jvm, long token) {
        this.jvm = jvm;
        this.token = token;
    }

    /** Starts it and waits until it holds the lock. */
    static LockChild holding(StoreUnderTest store, Entrant entrant, String url, Duration ttl, String lock)
            throws IOException {
        ChildJvm jvm = ChildJvm.start(
                LockChild.class,
                List.of("-XX:TieredStopAtLevel=1"),
                List.of(store.cast().getClass().getName(), entrant.title(), url, Long.toString(ttl.toMillis()), lock));
        try {
            return new LockChild(jvm, jvm.answer(HELD));
        } catch (IOException e) {
            jvm.close();
            throw e;
        }
    }

    /** Its fencing token, or 0. */
    long token() {
        return token;
    }

    /** {@code kill -9}. */
    void kill() {
        jvm.kill();
    }

    @Override
    public void close() throws IOException {
        jvm.close();
    }

    /** {@code args}: cast, entrant, URL, TTL in milliseconds, lock. Ends when its parent closes its standard input. */
    public static void main(String[] args) throws Exception {
        ChildJvm.endWithTheParent();
        LockClient.Handle handle = Cast.find(args[0], args[1])
                .openCold(args[2], Duration.ofMillis(Long.parseLong(args[3])))
                .handle(args[4]);
        System.out.println(HELD + handle.lock());
        while (System.in.read() >= 0) {
            // Nobody writes.
        }
        Runtime.getRuntime().halt(handle.isHeld() ? 0 : 1);
    }
}
