package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When the number of a node tells that it is alone, and when it does not. */
@Tag("quick")
class FamiliarTest {
    private static final String JOB = "/names/job";

    private final List<AsyncCallback.StatCallback> asked = new ArrayList<>();
    private final Familiar familiar = new Familiar((path, watcher, told, context) -> asked.add(told));

    @Test
    void aNameIsFamiliarWhenItsParentIsWatchedAndATurnBelowItIsOver() {
        turn(0);
        assertThat(asked).isEmpty();
        turn(1);
        assertThat(asked).hasSize(1);
        turn(2); // before the watch was answered: perhaps below another parent
        answer(Code.OK);
        assertThat(familiar.expects(JOB)).isFalse();
        turn(3);
        assertThat(familiar.expects(JOB)).isTrue();

        assertThat(familiar.isAlone(JOB, 4)).isTrue();
        assertThat(familiar.expects(JOB)).as("while its node is there").isFalse();
        turn(4);
        assertThat(familiar.isAlone(JOB, 5)).isTrue();
        assertThat(asked).as("one watch is enough").isEmpty();
    }

    @Test
    void aNodeThatWasCreatedBeforeTheWatchSaysNothingAboutTheNextOne() {
        turn(0);
        turn(1);
        Familiar.Name before = familiar.of(JOB);
        answer(Code.OK);

        familiar.left(JOB, 2, before);

        assertThat(familiar.expects(JOB)).isFalse();
        assertThat(familiar.isAlone(JOB, 3)).isFalse();
    }

    @Test
    void aStrangerInBetweenIsNoticedAndTheNameIsFamiliarNoMore() {
        familiarUpTo(3);

        assertThat(familiar.isAlone(JOB, 5)).isFalse();
        assertThat(familiar.expects(JOB)).isFalse();
        turn(5);
        assertThat(familiar.expects(JOB)).isFalse();
    }

    @Test
    void ofTwoNodesInARowOnlyTheFirstIsAlone() {
        familiarUpTo(3);

        assertThat(familiar.isAlone(JOB, 4)).isTrue();
        assertThat(familiar.isAlone(JOB, 5)).isFalse();
    }

    @Test
    void aParentThatWasDeletedAndMadeAgainCountsAnew() {
        familiarUpTo(3);

        familiar.process(new WatchedEvent(EventType.NodeDeleted, KeeperState.SyncConnected, JOB));

        assertThat(familiar.isAlone(JOB, 4)).isFalse();
    }

    @Test
    void nothingIsRememberedAcrossALostConnection() {
        familiarUpTo(3);
        Familiar.Name before = familiar.of(JOB);

        familiar.process(new WatchedEvent(EventType.None, KeeperState.Disconnected, null));
        familiar.process(new WatchedEvent(EventType.None, KeeperState.SyncConnected, null));

        assertThat(familiar.knows(JOB, before)).isFalse();
        familiar.left(JOB, 4, before);
        assertThat(familiar.expects(JOB)).isFalse();
        assertThat(familiar.isAlone(JOB, 5)).isFalse();
    }

    @Test
    void aWatchThatCouldNotBeSetIsAskedForAgainLater() {
        turn(0);
        turn(1);
        answer(Code.CONNECTIONLOSS);
        turn(2);
        turn(3);

        assertThat(asked).hasSize(1);
        assertThat(familiar.expects(JOB)).isFalse();
    }

    /** U20: the counter stands still there, so many nodes have this number. */
    @Test
    void theHighestNumberIsNeverTrusted() {
        familiarUpTo(Integer.MAX_VALUE - 1);

        assertThat(familiar.isAlone(JOB, Integer.MAX_VALUE)).isFalse();
    }

    private void familiarUpTo(int last) {
        turn(last - 2);
        turn(last - 1);
        answer(Code.OK);
        turn(last);
        assertThat(familiar.expects(JOB)).isTrue();
    }

    private void turn(int sequence) {
        familiar.left(JOB, sequence, familiar.of(JOB));
    }

    private void answer(Code code) {
        asked.remove(0).processResult(code.intValue(), JOB, null, new Stat());
    }
}
