package io.holdfast.redlock;

import io.holdfast.spi.LockStore;
import io.holdfast.tck.MachineTime;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Five servers, and a namespace of its own for every test: emptied servers would be in quarantine. */
final class RedlockFixture implements StoreFixture {
    static final Duration MAX_TTL = Duration.ofHours(1);
    private static final AtomicInteger TESTS = new AtomicInteger();

    private final Nodes nodes;
    private final String options = "maxTtl=1h&ioTimeout=2s&namespace=test" + TESTS.incrementAndGet();
    private final MachineTime time = new MachineTime();

    RedlockFixture(Nodes nodes) {
        this.nodes = nodes;
    }

    @Override
    public LockStore open(String clientName) {
        return nodes.open(options);
    }

    @Override
    public TestTime time() {
        return time;
    }

    @Override
    public Duration shortTtl() {
        return Duration.ofSeconds(2); // a node's time to answer is a tenth of it
    }

    @Override
    public Set<Fault> declines() {
        return Set.of(Fault.values()); // RedlockFaultTest loses data, node by node; a node's clock cannot be set
    }

    @Override
    public Optional<String> url() {
        return Optional.of(nodes.url(options));
    }

    @Override
    public void close() {
        time.close();
    }
}
