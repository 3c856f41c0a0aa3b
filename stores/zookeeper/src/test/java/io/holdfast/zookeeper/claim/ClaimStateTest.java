package io.holdfast.zookeeper.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LossReason;
import io.holdfast.spi.Claim;
import io.holdfast.tck.Ask;
import io.holdfast.zookeeper.claim.ClaimState.Phase;
import io.holdfast.zookeeper.claim.NodeDeletion.Reason;
import io.holdfast.zookeeper.lease.HeldLease;
import io.holdfast.zookeeper.lease.OwnNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The transitions of a claim, from every phase. */
@Tag("quick")
class ClaimStateTest {
    private static final long SENT = 1_000;
    private static final long NOW = 5_000;
    private static final long FAR = Long.MAX_VALUE / 2;

    private final Claim claim = Ask.exclusive("job").claim();

    @Test
    void aReleaseEndsWhatHasANodeAndAbandonsWhatMayGetOne() {
        Map<Phase, Phase> expected = Map.of(
                Phase.CREATING, Phase.ABANDONED,
                Phase.ABANDONED, Phase.ABANDONED,
                Phase.DECIDING, Phase.ENDING,
                Phase.WAITING, Phase.ENDING,
                Phase.HELD, Phase.ENDING,
                Phase.ENDING, Phase.ENDING,
                Phase.OVER, Phase.OVER);
        expected.forEach((before, after) -> {
            ClaimState state = in(before);
            Reason reason = state.release();
            assertThat(state.phase()).as("after a release in %s", before).isEqualTo(after);
            assertThat(reason)
                    .as("deletion after a release in %s", before)
                    .isEqualTo(before == Phase.HELD ? Reason.RELEASE : before.wantsTurn() ? Reason.WITHDRAWAL : null);
        });
    }

    /** I3: nothing is granted after a release. */
    @Test
    void onlyAClaimThatWantsItsTurnIsGranted() {
        for (Phase before : Phase.values()) {
            ClaimState state = in(before);
            HeldLease lease = state.grant(claim, 7, NOW, FAR);
            assertThat(lease != null).as("granted in %s", before).isEqualTo(before.wantsTurn());
            assertThat(state.phase()).isEqualTo(before.wantsTurn() ? Phase.HELD : before);
        }
    }

    @Test
    void anImmediateGrantBeginsWithItsRequestAndAPushedOneNow() {
        HeldLease immediate = Objects.requireNonNull(in(Phase.DECIDING).grant(claim, 7, NOW, FAR));
        HeldLease pushed = Objects.requireNonNull(in(Phase.WAITING).grant(claim, 7, NOW, FAR));

        assertThat(immediate.ends()).isEqualTo(SENT + claim.ttl().toNanos());
        assertThat(pushed.ends()).isEqualTo(NOW + claim.ttl().toNanos());
    }

    /** I5: the request that writes a lock-delay is sent before the deletion or not at all. */
    @Test
    void whatBelongsToATurnIsSentOnlyWhileItIsWanted() {
        List<Phase> sent = new ArrayList<>();
        for (Phase before : Phase.values()) {
            in(before).ifTurnWanted(() -> sent.add(before));
        }
        assertThat(sent).containsExactly(Phase.DECIDING, Phase.WAITING);
    }

    @Test
    void aNodeIsKnownOnceAndOverIsFinal() {
        for (Phase before : Phase.values()) {
            ClaimState state = in(before);
            assertThat(state.known(answer(), node())).isEqualTo(before.isNodeUnknown() ? before : null);
            assertThat(state.phase()).isEqualTo(before.isNodeUnknown() ? Phase.DECIDING : before);
        }
    }

    @Test
    void aNodeThatIsGoneEndsTheClaimUnlessItIsBeingDeletedInALivingSession() {
        for (Phase before : Phase.values()) {
            boolean ignored = before == Phase.OVER || before == Phase.ENDING;
            assertThat(in(before).over(false)).as("node gone in %s", before).isEqualTo(ignored ? null : before);
            assertThat(in(before).over(true))
                    .as("session over in %s", before)
                    .isEqualTo(before == Phase.OVER ? null : before);
        }
    }

    /** L13: the node of a failed step has to be searched for, unless the claim is decided. */
    @Test
    void aFailedStepAbandonsWhatIsNotDecided() {
        for (Phase before : Phase.values()) {
            ClaimState state = in(before);
            boolean undecided = state.isUndecided();
            assertThat(state.abandon()).isEqualTo(before);
            assertThat(state.phase()).isEqualTo(undecided ? Phase.ABANDONED : before);
        }
    }

    @Test
    void aLeaseExpiresAtItsEndAndARenewalMovesIt() {
        ClaimState state = in(Phase.HELD);
        long end = state.ends();
        assertThat(state.expire(end - 1)).isFalse();
        assertThat(state.obstacleToRenewal(end)).isEqualTo(LossReason.EXPIRED);
        assertThat(state.obstacleToRenewal(end - 1)).isNull();

        state.extend(NOW + 10);

        assertThat(state.expire(end)).isFalse();
        assertThat(state.expire(end + 10)).isTrue();
        assertThat(state.phase()).isEqualTo(Phase.ENDING);
        assertThat(state.obstacleToRenewal(end)).isEqualTo(LossReason.GONE);
    }

    private ClaimState in(Phase phase) {
        ClaimState state = new ClaimState();
        state.creationSent(SENT);
        switch (phase) {
            case CREATING -> {}
            case ABANDONED -> state.release();
            case OVER -> state.finish();
            default -> state.known(answer(), node());
        }
        if (phase == Phase.WAITING || phase == Phase.HELD || phase == Phase.ENDING) {
            state.startWaiting();
        }
        if (phase == Phase.HELD || phase == Phase.ENDING) {
            state.grant(claim, 7, NOW, FAR);
        }
        if (phase == Phase.ENDING) {
            state.release();
        }
        assertThat(state.phase()).isEqualTo(phase);
        return state;
    }

    private static CreatedNode answer() {
        return new CreatedNode("/names/job/x", 1, 2, 0, SENT);
    }

    /** A node that no test watches. */
    @SuppressWarnings("NullAway")
    private static OwnNode node() {
        return new OwnNode(null, "/names/job/x", 1, null);
    }
}
