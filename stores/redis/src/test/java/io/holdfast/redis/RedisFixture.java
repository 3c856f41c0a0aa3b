package io.holdfast.redis;

import io.holdfast.servers.RedisServer;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.tck.MachineTime;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** The Redis store on a real server, which is emptied for every test. */
final class RedisFixture implements StoreFixture {
    private final RedisServer server;
    private final String url;
    private final boolean ownClock;
    private final MachineTime time = new MachineTime();
    private Duration stepped = Duration.ZERO;

    RedisFixture(RedisServer server, String options) {
        this(server, options, false);
    }

    /** {@code ownClock} says that the server was started with one that can be stepped. */
    RedisFixture(RedisServer server, String options, boolean ownClock) {
        this.server = server;
        this.ownClock = ownClock;
        this.url = server.url() + options;
        server.call("FLUSHALL");
    }

    @Override
    public LockStore open(String clientName) {
        return new RedisStoreProvider()
                .open(StoreUrl.parse(url), new StoreProvider.Settings("", Duration.ofSeconds(30)));
    }

    @Override
    public TestTime time() {
        return time;
    }

    @Override
    public Duration shortTtl() {
        return Duration.ofMillis(800);
    }

    @Override
    public Set<Fault> declines() {
        return ownClock ? Set.of() : Set.of(Fault.STEP_WALL_CLOCK);
    }

    @Override
    public void stepWallClock(Duration by) {
        server.stepClock(by);
        stepped = stepped.plus(by);
    }

    @Override
    public void loseData() {
        server.call("FLUSHALL");
    }

    @Override
    public Optional<String> url() {
        return Optional.of(url);
    }

    @Override
    public void close() {
        if (!stepped.isZero()) {
            server.stepClock(stepped.negated());
        }
        time.close();
    }
}
