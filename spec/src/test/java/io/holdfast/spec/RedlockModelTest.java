package io.holdfast.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Fenced Redlock, checked in every reachable state: U7, U8 and U9 with late, lost, reordered and duplicated messages at
 * every step. Then each rule is dropped by itself, and the checker must find what the rule is for: a model that cannot
 * be broken proves nothing.
 */
@Tag("slow")
class RedlockModelTest {
    private static final boolean SOAK = Boolean.getBoolean("holdfast.spec.soak");
    private static final Duration PATIENCE =
            Duration.ofMinutes(SOAK ? 600 : 10).multipliedBy(Long.getLong("holdfast.timeScale", 1));

    @TempDir
    Path folder;

    @Test
    void noReachableStateHasTwoHoldersOrATokenThatIsNotLarger() throws Exception {
        holds(protocol());
    }

    /** Each bound raised by itself; all at once is more than anybody has waited for. */
    @Test
    void norHasOneOfALargerModel() throws Exception {
        assumeTrue(SOAK, "in the soak profile");
        holds(protocol().constant("MaxToken", 4));
        holds(protocol().constant("MaxForgets", 2));
        holds(protocol().constant("MaxProposals", 4));
    }

    @Test
    void withoutTheFenceCheckTokensGoBack() throws Exception {
        breaks(protocol().constant("FenceCheck", "FALSE"), "TokensIncrease");
    }

    @Test
    void aQuorumOfHalfTheNodesHasTwoHolders() throws Exception {
        // N/2 of three, rounded down, is one.
        breaks(protocol().constant("Majority", 1), "Exclusion");
    }

    @Test
    void oneHolderIdForSeveralProposalsLetsALateReleaseFreeTheGrantedLock() throws Exception {
        breaks(protocol().constant("FreshIds", "FALSE").constant("MaxForgets", 0), "Exclusion");
    }

    @Test
    void aNodeThatForgotAndIsCountedAtOnceHasTwoHolders() throws Exception {
        breaks(few().constant("Verdicts", "{\"none\"}"), "Exclusion");
    }

    /** What quarantine=off once was. */
    @Test
    void aNodeThatForgotAndIsCountedAtOnceLetsTokensGoBack() throws Exception {
        breaks(few().constant("Verdicts", "{\"none\"}"), "TokensIncrease");
    }

    @Test
    void withoutQuarantineThereAreTwoHolders() throws Exception {
        breaks(few().constant("Verdicts", "{\"off\"}"), "Exclusion");
    }

    /** U7: relearning does not depend on the quarantine. */
    @Test
    void withoutQuarantineTokensStillIncrease() throws Exception {
        holds(smaller().constant("Verdicts", "{\"off\"}").heading(heading("TokensIncrease")));
    }

    /** U33. */
    @Test
    void oneClientThatDecidesForItselfTakesTheQuarantineFromAll() throws Exception {
        breaks(few().constant("Verdicts", "{\"on\", \"off\"}"), "Exclusion");
    }

    /** U9: clients that saw the node forget wait on their own clocks. */
    @Test
    void aNodeWhoseQuarantineIsTooShortHurtsNoClientThatSawItForget() throws Exception {
        holds(smaller().constant("NodeClock", "FALSE"));
    }

    @Test
    void aNodeWhoseQuarantineIsTooShortHasTwoHoldersIfAClientDidNotSeeItForget() throws Exception {
        breaks(few().constant("NodeClock", "FALSE").constant("Witnesses", "FALSE"), "Exclusion");
    }

    /** Its vote on a proposal that is granted later is in no fence that it could read. */
    @Test
    void aNodeThatRelearnsWhileItsVotesAreCountedLetsTokensGoBack() throws Exception {
        breaks(few().constant("Verdicts", "{\"rash\"}"), "TokensIncrease");
    }

    /** Enough for what two proposals do to each other. */
    private ModelChecker few() {
        return protocol().constant("Tries", 1).constant("MaxProposals", 2).constant("MaxToken", 2);
    }

    /** For models with more states elsewhere. */
    private ModelChecker smaller() {
        return SOAK ? protocol() : protocol().constant("MaxProposals", 2);
    }

    @Test
    void aNodeThatForgotAndDoesNotRelearnLetsTokensGoBack() throws Exception {
        breaks(protocol().constant("Relearn", "FALSE"), "TokensIncrease");
    }

    @Test
    void aVoteCastInQuarantineThatCountsWhenItIsRepeatedLetsTokensGoBack() throws Exception {
        breaks(protocol().constant("FirmVotes", "FALSE"), "TokensIncrease");
    }

    @Test
    void aMajorityThatForgotStartsAgainAboveEveryGrantedTokenIfItsClockIsPastThem() throws Exception {
        holds(coldStart());
    }

    @Test
    void aMajorityThatForgotAndHasNoClockLetsTokensGoBack() throws Exception {
        breaks(coldStart().constant("ClockAbove", "FALSE"), "TokensIncrease");
    }

    /** Two of three nodes forget; smaller elsewhere, because several nodes are then anywhere in their relearning. */
    private ModelChecker coldStart() {
        return protocol()
                .constant("Cold", "TRUE")
                .constant("MaxForgets", 2)
                .constant("Tries", 1)
                .constant("MaxProposals", 2)
                .constant("MaxToken", SOAK ? 3 : 2);
    }

    private static void holds(ModelChecker model) throws InterruptedException {
        ModelChecker.Finding finding = model.check(PATIENCE);

        assertThat(finding.exit()).as(finding.output()).isEqualTo(ModelChecker.HOLDS);
        assertThat(finding.output()).contains("No error has been found", " 0 states left on queue");
    }

    private static void breaks(ModelChecker model, String invariant) throws InterruptedException {
        // One invariant at a time: the checker stops at the first broken one.
        ModelChecker.Finding finding = model.heading(heading(invariant)).check(PATIENCE);

        assertThat(finding.breaks(invariant)).as(finding.output()).isTrue();
    }

    private ModelChecker protocol() {
        return new ModelChecker("Redlock", folder)
                .heading(heading("Exclusion TokensIncrease"))
                .constant("n1", "n1")
                .constant("n2", "n2")
                .constant("n3", "n3")
                .constant("c1", "c1")
                .constant("c2", "c2")
                .constant("Nodes", "{n1, n2, n3}")
                .constant("Clients", "{c1, c2}")
                .constant("Tries", 2)
                .constant("MaxProposals", 3)
                .constant("MaxToken", 3)
                .constant("MaxForgets", 1)
                .constant("Majority", 2)
                .constant("FenceCheck", "TRUE")
                .constant("FreshIds", "TRUE")
                .constant("Verdicts", "{\"on\"}")
                .constant("NodeClock", "TRUE")
                .constant("Witnesses", "TRUE")
                .constant("Relearn", "TRUE")
                .constant("FirmVotes", "TRUE")
                .constant("Cold", "FALSE")
                .constant("ClockAbove", "TRUE");
    }

    private static String heading(String invariants) {
        return "SPECIFICATION Spec\nSYMMETRY Symmetry\nCHECK_DEADLOCK FALSE\nINVARIANTS " + invariants;
    }
}
