package io.holdfast.sqlite;

import io.holdfast.Mode;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * Acquires, renews, releases and forgets locks until it is killed, and tells every token that it was granted. Arguments:
 * lock file, seed.
 */
final class DyingProcess {
    static final Duration TTL = Duration.ofMillis(300);
    static final int NAMES = 5;

    private DyingProcess() {}

    public static void main(String[] arguments) throws Exception {
        Random random = new Random(Long.parseLong(arguments[1]));
        try (EmbeddedLockStore store = new Lockfile(Path.of(arguments[0])).openReal()) {
            ContractClient client = new ContractClient(store);
            Deque<Claim> held = new ArrayDeque<>();
            while (true) {
                try {
                    act(client, held, claim(random));
                } catch (StoreUnavailableException e) { // too busy for a third of the TTL: certainly not granted
                    if (e.outcomeUnknown()) {
                        throw e;
                    }
                }
            }
        }
    }

    private static void act(ContractClient client, Deque<Claim> held, Claim next) throws InterruptedException {
        if (client.tryAcquire(next) instanceof Granted grant) {
            held.add(next);
            System.out.println(next.lockName() + " " + (grant.token() + grant.span() - 1));
        }
        if (held.size() > 3) {
            ContractClient.answer(client.store().renew(List.copyOf(held)));
            client.release(held.remove());
        }
    }

    private static Claim claim(Random random) {
        String name = "job-" + random.nextInt(NAMES);
        Mode mode = random.nextInt(4) == 0 ? Mode.SHARED : Mode.EXCLUSIVE;
        return new Ask(name, "dying", mode, 1, TTL, Duration.ZERO, 1 + random.nextInt(3)).claim();
    }
}
