package io.holdfast.bench.workloads;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Another process that holds a lock until it is killed. */
final class LockChild implements AutoCloseable {
    private final Process process;
    private final long token;

    private LockChild(Process process, long token) {
        this.process = process;
        this.token = token;
    }

    /** Starts it and waits until it holds the lock. */
    static LockChild holding(StoreUnderTest store, Entrant entrant, String url, Duration ttl, String lock)
            throws IOException {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-XX:TieredStopAtLevel=1",
                        LockChild.class.getName(),
                        store.name(),
                        entrant.title(),
                        url,
                        Long.toString(ttl.toMillis()),
                        lock))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output = process.inputReader();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith("held ")) {
                return new LockChild(process, Long.parseLong(line.substring("held ".length())));
            }
        }
        process.destroyForcibly();
        throw new IOException("the process that was to hold " + lock + " ended");
    }

    /** Its fencing token, or 0. */
    long token() {
        return token;
    }

    /** {@code kill -9}. */
    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        kill();
    }

    /** {@code args}: store, entrant, URL, TTL in milliseconds, lock. Ends when its parent closes its standard input. */
    public static void main(String[] args) throws Exception {
        LockClient.Handle handle = StoresUnderTest.named(args[0])
                .entrant(args[1])
                .open(args[2], Duration.ofMillis(Long.parseLong(args[3])))
                .handle(args[4]);
        System.out.println("held " + handle.lock());
        while (System.in.read() >= 0) {
            // Nobody writes.
        }
        Runtime.getRuntime().halt(handle.isHeld() ? 0 : 1);
    }
}
