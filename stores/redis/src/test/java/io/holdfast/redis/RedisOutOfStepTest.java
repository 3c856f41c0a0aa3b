package io.holdfast.redis;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.servers.RedisServer;
import io.holdfast.tck.TestTime;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** U29: an answer that belongs to another request is never believed, whatever brought it there. */
class RedisOutOfStepTest {
    private static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(30));
    private static final LockOptions NO_WAIT = LockOptions.defaults().ttl(Duration.ofSeconds(30));

    /**
     * {@code CLIENT REPLY SKIP} makes the server leave out two answers, so every later answer on the connection arrives
     * two requests too early: the request for the held lock gets the grant of another one.
     */
    @Test
    void answersThatAreOutOfStepGrantNothingAndEndTheConnection() throws Exception {
        try (RedisServer server = RedisServer.open();
                Holdfast holder = Holdfast.open(server.url())) {
            Lease held = holder.mutex("held").acquire(NO_WAIT);
            RedisURI uri = RedisURI.create(server.url());
            RedisClient lettuce = RedisClient.create(uri);
            OwnConnections opened = OwnConnections.of(lettuce);
            try (Holdfast client = Holdfast.builder()
                    .store(RedisLockStore.over(lettuce, uri, ""))
                    .open()) {
                // The scripts are known afterwards: a first try would be sent twice.
                client.mutex("warm").acquire(NO_WAIT).close();
                List<CompletableFuture<Optional<Lease>>> tries = new ArrayList<>();
                StatefulRedisConnection<String, String> before = opened.calls();
                opened.replies("SKIP");
                tries.add(client.mutex("a").tryAcquireAsync(NO_WAIT));
                CompletableFuture<Optional<Lease>> onHeld = client.mutex("held").tryAcquireAsync(NO_WAIT);
                tries.add(onHeld);
                for (String free : List.of("b", "c", "d")) {
                    tries.add(client.mutex(free).tryAcquireAsync(NO_WAIT));
                }

                for (CompletableFuture<Optional<Lease>> one : tries) {
                    await().atMost(PATIENCE).until(one::isDone);
                    assertThat(one)
                            .as("no answer on this connection is believed")
                            .isCompletedExceptionally();
                }
                assertThat(before.isOpen()).as("the old connection").isFalse();

                // The other connection works, and nothing that was granted meanwhile stays.
                assertThat(client.mutex("held").tryAcquire(NO_WAIT)).isEmpty();
                for (String free : List.of("a", "b", "c", "d")) {
                    client.mutex(free).acquire(waitUpTo(PATIENCE)).close();
                }
                held.close();
                client.mutex("held").acquire(waitUpTo(PATIENCE)).close();
            } finally {
                lettuce.shutdown(0, 1, TimeUnit.SECONDS);
            }
        }
    }

    /** An endless recursion whose every level locks and unlocks, as an application meets it; its thread has little stack. */
    @Test
    void aStackOverflowInAUsersThreadNeverMakesTwoHolders() throws Exception {
        try (RedisServer server = RedisServer.open();
                Holdfast other = Holdfast.open(server.url())) {
            List<Lease> held = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                held.add(other.mutex("held-" + i).acquire(NO_WAIT));
            }
            for (int trial = 0; trial < 10; trial++) {
                try (Holdfast client = Holdfast.open(server.url())) {
                    overflowIn(client);

                    List<CompletableFuture<Optional<Lease>>> tries = new ArrayList<>();
                    for (int i = 0; i < 4; i++) {
                        tries.add(client.mutex("free-" + i).tryAcquireAsync(NO_WAIT));
                        tries.add(client.mutex("held-" + i).tryAcquireAsync(NO_WAIT));
                    }
                    for (int i = 0; i < tries.size(); i++) {
                        CompletableFuture<Optional<Lease>> one = tries.get(i);
                        await().atMost(PATIENCE).until(one::isDone);
                        if (i % 2 == 1 && !one.isCompletedExceptionally()) {
                            assertThat(one.join())
                                    .as("trial %s, a lock that is held", trial)
                                    .isEmpty();
                        }
                    }
                    // And the client works: what went wrong is not for ever.
                    client.mutex("afterwards").acquire(waitUpTo(PATIENCE)).close();
                }
            }
            assertThat(held).allMatch(lease -> lease.state() == LeaseState.HELD);
            held.forEach(Lease::close);
        }
    }

    /** B7: a grant that no message announced makes the client ask whether it is still subscribed. */
    @Test
    void aSubscriptionThatIsGoneIsFoundByTheFirstGrantThatAPollHadToFind() throws Exception {
        try (RedisServer server = RedisServer.open();
                Holdfast holder = Holdfast.open(server.url())) {
            RedisURI uri = RedisURI.create(server.url());
            RedisClient lettuce = RedisClient.create(uri);
            OwnConnections opened = OwnConnections.of(lettuce);
            try (Holdfast client = Holdfast.builder()
                    .store(RedisLockStore.over(lettuce, uri, ""))
                    .open()) {
                Lease held = holder.mutex("job").acquire(NO_WAIT);
                CompletableFuture<Lease> waiting = client.mutex("job").acquireAsync(waitUpTo(PATIENCE));
                await().atMost(PATIENCE).until(() -> server.calls("subscribe") == 1);
                opened.messages().async().unsubscribe();
                await().atMost(PATIENCE).until(() -> subscribers(server) == 0);

                held.close();
                waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();

                await().atMost(PATIENCE).until(() -> subscribers(server) == 1);
            } finally {
                lettuce.shutdown(0, 1, TimeUnit.SECONDS);
            }
        }
    }

    private static void overflowIn(Holdfast client) throws InterruptedException {
        Thread deep = new Thread(
                null,
                () -> {
                    try {
                        recurse(client, 0);
                    } catch (StackOverflowError expected) {
                        // as a server catches it, request by request
                    }
                },
                "deep",
                200 * 1024);
        deep.start();
        deep.join();
    }

    private static int recurse(Holdfast client, int depth) {
        try {
            client.mutex("deep-" + depth % 3).tryAcquire(NO_WAIT).ifPresent(Lease::close);
        } catch (io.holdfast.HoldfastException unknown) {
            // the next level tries again
        }
        return depth == Integer.MAX_VALUE ? 0 : 1 + recurse(client, depth + 1);
    }

    private static int subscribers(RedisServer server) {
        return ((List<?>) java.util.Objects.requireNonNull(server.call("PUBSUB", "CHANNELS"))).size();
    }
}
