package io.holdfast.tck.store;

import static io.holdfast.tck.Ask.exclusive;
import static io.holdfast.tck.Ask.shared;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.Mode;
import io.holdfast.Revocation;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.StoreFixture.Fault;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** S3: tokens rise, whatever happens between two grants, and stay near the clock. */
interface TokenClauses extends StoreClauses {
    @Test
    @Clause("S3")
    default void tokensRiseOverRelease() throws Exception {
        ContractClient a = world().client("a");
        long last = 0;
        for (int i = 0; i < 50; i++) {
            Claim claim = exclusive("job").claim();
            long token = a.granted(claim).token();
            assertThat(token).isGreaterThan(last);
            last = token;
            a.released(claim);
        }
    }

    @Test
    @Clause("S3")
    default void tokensRiseOverExpiryAndOverAnEmptyStore() throws Exception {
        ContractClient a = world().client("a");
        long first = a.granted(exclusive("job").ttl(world().shortTtl())).token();
        world().outliveShortTtl();
        a.nothingLeft("job");
        a.store().close();

        long second = world().client("b").granted(exclusive("job")).token();

        assertThat(second).isGreaterThan(first);
    }

    @Test
    @Clause("S3, U17")
    default void tokensRiseOverForcedRelease() throws Exception {
        ContractClient a = world().client("a");
        long first = a.granted(exclusive("job")).token();
        a.revoked("job", Revocation.NOW);
        long second = a.granted(exclusive("job").ttl(world().shortTtl())).token();
        a.revoked("job", Revocation.AT_LEASE_END);
        world().outliveShortTtl();
        long third = a.granted(exclusive("job")).token();

        assertThat(second).isGreaterThan(first);
        assertThat(third).isGreaterThan(second);
    }

    @Test
    @Clause("S3")
    default void holdersOfOneTimeHaveDifferentTokens() throws Exception {
        ContractClient a = world().client("a");
        assumeTrue(a.store().info().modes().contains(Mode.SHARED), "the store does not offer shared mode");

        long first = a.granted(shared("job")).token();
        long second = a.granted(shared("job")).token();

        assertThat(second).isGreaterThan(first);
    }

    @Test
    @Clause("S3, U5")
    default void spansOfTwoGrantsDoNotOverlap() throws Exception {
        ContractClient a = world().client("a");
        settle(a);
        long next = 0;
        for (int i = 0; i < 20; i++) {
            Claim claim = exclusive("job").span(1 + i * 13).claim();
            Granted grant = a.granted(claim);
            assertThat(grant.token()).isGreaterThanOrEqualTo(next);
            assertThat(grant.span()).isBetween(1, 1 + i * 13);
            next = grant.token() + grant.span();
            a.released(claim);
        }
    }

    @Test
    @Clause("S3, U5")
    default void inspectionShowsTheSpanAndTheLastToken() throws Exception {
        ContractClient a = world().client("a");
        settle(a);
        Granted grant = a.granted(exclusive("job").span(16));

        LockStatus status = a.status("job");
        Holder holder = status.holders().get(0);

        assertThat(holder.token()).isEqualTo(grant.token());
        assertThat(holder.span()).isEqualTo(grant.span());
        assertThat(holder.covers(grant.token() + grant.span() - 1)).isTrue();
        assertThat(holder.covers(grant.token() + grant.span())).isFalse();
        assertThat(status.lastToken()).isGreaterThanOrEqualTo(grant.token() + grant.span() - 1);
    }

    @Test
    @Clause("S3, U24")
    default void hybridTokensFitInto53Bits() throws Exception {
        assumeTrue(world().fixture().tokensFollowTheClock(), "the store has a counter of its own");
        ContractClient a = world().client("a");
        long micros = world().fixture().time().ticker().wallMicros();

        long token = a.granted(exclusive("job")).token();

        assertThat(token).isLessThan(1L << 53);
        assertThat(token - micros)
                .as("distance of a fresh token from the clock in µs")
                .isBetween(-60_000_000L, 60_000_000L);
    }

    @Test
    @Clause("S3, U6")
    default void tokensDoNotRunAheadOfTheClockUnderLoad() throws Exception {
        assumeTrue(world().fixture().tokensFollowTheClock(), "the store has a counter of its own");
        ContractClient a = world().client("a");
        TestTime time = world().fixture().time();
        // A minute on virtual time; on the machine's a second, or what holdfast.tck.loadSeconds says. Spans would
        // overtake
        // the clock: 256 tokens, that is microseconds, every 200 at least.
        long end = time.ticker().nanos() + time.longLoad().toNanos();
        while (time.ticker().nanos() - end < 0) {
            Claim claim = exclusive("hot").span(256).claim();
            a.granted(claim);
            a.released(claim);
            world().elapse(Duration.ofNanos(200_000));
        }

        a.granted(exclusive("hot"));
        assertThat(a.status("hot").tokenLead()).isLessThan(Duration.ofMillis(200));
    }

    @Test
    @Clause("S3")
    default void tokensRiseWhenTheWallClockStepsBack() throws Exception {
        assumeFalse(world().fixture().declines().contains(Fault.STEP_WALL_CLOCK), "the clock cannot be stepped");
        ContractClient a = world().client("a");
        Claim before = exclusive("job").claim();
        long first = a.granted(before).token();
        a.released(before);

        world().fixture().stepWallClock(Duration.ofHours(-1));

        assertThat(a.granted(exclusive("job")).token()).isGreaterThan(first);
    }

    @Test
    @Clause("S3, U6")
    default void tokensRiseOverLostDataOnceTheStatedTimeHasPassed() throws Exception {
        assumeTrue(world().fixture().tokensFollowTheClock(), "the store has a counter of its own");
        assumeFalse(world().fixture().declines().contains(Fault.LOSE_DATA), "the data cannot be lost");
        ContractClient a = world().client("a");
        long last = 0;
        for (int i = 0; i < 200; i++) {
            Claim claim = exclusive("job").span(256).claim();
            Granted grant = a.granted(claim);
            last = grant.token() + grant.span() - 1;
            a.released(claim);
        }
        world().elapse(Duration.ofMillis(201));

        world().fixture().loseData();

        assertThat(world().client("b").granted(exclusive("job")).token()).isGreaterThan(last);
    }

    /** Lets the start ahead of the clock pass (U6), so that spans are given. */
    private void settle(ContractClient client) throws InterruptedException {
        Claim first = exclusive("job").claim();
        client.granted(first);
        client.released(first);
        world().elapse(Duration.ofMillis(200));
    }
}
