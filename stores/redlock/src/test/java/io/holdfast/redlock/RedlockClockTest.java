package io.holdfast.redlock;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.RedisOptions;
import io.holdfast.spi.Claim;
import io.holdfast.tck.ContractClient;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The wall clock of a real node is stepped while a lock is held. */
@Tag("slow")
@SuppressWarnings("NullAway.Init") // JUnit starts the nodes before each test
class RedlockClockTest {
    private static final Duration MAX_TTL = Duration.ofSeconds(60);
    private static final String OPTIONS = "ioTimeout=2s";

    private Nodes nodes;
    private Clients clients;
    private ContractClient a;
    private ContractClient b;

    @BeforeEach
    void start() {
        nodes = Nodes.settled(MAX_TTL, RedisOptions.defaults().ownClock());
        clients = new Clients();
        a = clients.attach(nodes.open(OPTIONS));
        b = clients.attach(nodes.open(OPTIONS));
    }

    @AfterEach
    void stop() {
        clients.close();
        nodes.close();
    }

    /** U26: a bare majority has no spare. Only the tokens tell the two holders apart then. */
    @Test
    void aJumpForwardOfOneNodeOfABareMajorityMakesTwoHoldersWhomTheTokensTellApart() throws Exception {
        Claim held = exclusive("job").claim();
        long first = a.granted(held).token();
        nodes.leaveBareMajority("job");
        b.refused(exclusive("job"));

        nodes.get(2).stepClock(Duration.ofHours(2));

        assertThat(b.granted(exclusive("job")).token()).isGreaterThan(first);
    }

    @Test
    void aJumpForwardOfTwoNodesOfFiveOpensNothing() throws Exception {
        Claim held = exclusive("job").claim();
        a.granted(held);

        nodes.get(0).stepClock(Duration.ofHours(2));
        nodes.get(1).stepClock(Duration.ofHours(2));

        b.refused(exclusive("job"));
        a.renewed(held);
        a.released(held);
        b.granted(exclusive("job"));
    }

    /** U27: nodes that are hours behind refuse the others' tokens as too far ahead, and hold nobody up. */
    @Test
    void twoNodesWhoseClocksJumpedBackHaveNoSayAndHoldNobodyUp() throws Exception {
        Claim held = exclusive("job").claim();
        long first = a.granted(held).token();

        nodes.get(0).stepClock(Duration.ofHours(-2));
        nodes.get(1).stepClock(Duration.ofHours(-2));

        b.refused(exclusive("job"));
        a.renewed(held);
        a.released(held);
        long second = b.granted(exclusive("job")).token();
        assertThat(second).isGreaterThan(first);
        assertThat(b.granted(exclusive("another")).token()).isPositive();
    }
}
