package io.holdfast.bench.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.servers.RedisServer;
import io.netty.channel.epoll.Epoll;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Here Netty's epoll is on the class path, as it is for many users; in the store's own tests it is not. */
class WaitingOverEpollTest {
    private static final long PATIENCE_SECONDS = 60;
    private static final LockOptions PATIENT =
            LockOptions.waitUpTo(Duration.ofMinutes(5)).ttl(Duration.ofSeconds(30));

    @Test
    void whoWaitsIsInterruptedAtOnceAndLaterHandedTheLock() throws Exception {
        Assumptions.assumeTrue(Epoll.isAvailable(), "epoll is of Linux");
        try (RedisServer server = RedisServer.open();
                Holdfast one = open(server);
                Holdfast two = open(server)) {
            for (int i = 0; i < 5; i++) {
                Lease held = one.mutex("job").acquire();
                Waiter interrupted = inEpoll(two);
                interrupted.thread.interrupt();
                assertThat(interrupted.outcome()).isEqualTo("interrupted");

                Waiter handed = inEpoll(two);
                held.close();
                assertThat(handed.outcome()).isEqualTo("held");
            }
        }
    }

    private static Holdfast open(RedisServer server) {
        return Holdfast.builder()
                .url("redis://127.0.0.1:" + server.port())
                .defaults(PATIENT)
                .open();
    }

    /** One that listens itself. The first of a client may not: while it comes, connections are made and classes loaded. */
    private static Waiter inEpoll(Holdfast client) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (System.nanoTime() - end < 0) {
            Waiter waiter = new Waiter(client);
            waiter.thread.start();
            for (int i = 0; i < 200; i++) {
                if (waiter.sleepsInEpoll()) {
                    return waiter;
                }
                Thread.sleep(1);
            }
            waiter.thread.interrupt();
            assertThat(waiter.outcome()).isEqualTo("interrupted");
        }
        throw new AssertionError("no waiter listened itself");
    }

    private static final class Waiter {
        private final Thread thread;
        private final CompletableFuture<String> outcome = new CompletableFuture<>();

        Waiter(Holdfast client) {
            thread = new Thread(() -> {
                try (Lease lease = client.mutex("job").acquire()) {
                    outcome.complete(lease.state() == LeaseState.HELD ? "held" : "not held");
                } catch (InterruptedException e) {
                    outcome.complete("interrupted");
                } catch (RuntimeException e) {
                    outcome.completeExceptionally(e);
                }
            });
        }

        String outcome() throws Exception {
            return outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }

        boolean sleepsInEpoll() {
            StackTraceElement[] stack = thread.getStackTrace();
            for (StackTraceElement frame : stack) {
                if (frame.getMethodName().equals("attend")) {
                    return stack[0].getMethodName().startsWith("epollWait");
                }
            }
            return false;
        }
    }
}
