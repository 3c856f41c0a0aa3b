package io.holdfast.etcd.line;

import static org.assertj.core.api.Assertions.assertThat;

import io.etcd.jetcd.ByteSequence;
import io.holdfast.Mode;
import io.holdfast.etcd.line.Line.Obstacle;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which claims of a line hold, and what the others wait for. */
@Tag("quick")
class LineTest {
    private final List<Entry> entries = new ArrayList<>();
    private final List<LockDelay> delays = new ArrayList<>();

    @Test
    void theFirstExclusiveClaimHoldsAndEachOtherWaitsForTheOneBeforeIt() {
        Entry first = add(Mode.EXCLUSIVE, 1);
        Entry second = add(Mode.EXCLUSIVE, 1);
        Entry third = add(Mode.EXCLUSIVE, 1);

        assertThat(line().holders()).containsExactly(first);
        assertThat(line().before(first.holder())).isNull();
        assertThat(line().before(second.holder())).isEqualTo(new Obstacle.Claimed(first));
        assertThat(line().before(third.holder())).isEqualTo(new Obstacle.Claimed(second));
    }

    @Test
    void readersHoldTogetherUpToTheFirstWriterAndLaterReadersWaitForIt() {
        Entry one = add(Mode.SHARED, 1);
        Entry two = add(Mode.SHARED, 1);
        Entry writer = add(Mode.EXCLUSIVE, 1);
        Entry late = add(Mode.SHARED, 1);
        Entry later = add(Mode.SHARED, 1);

        assertThat(line().holders()).containsExactly(one, two);
        assertThat(line().before(writer.holder())).isEqualTo(new Obstacle.Claimed(two));
        assertThat(line().before(late.holder())).isEqualTo(new Obstacle.Claimed(writer));
        assertThat(line().before(later.holder())).isEqualTo(new Obstacle.Claimed(writer));
        assertThat(line().before(Mode.SHARED, 1)).isEqualTo(new Obstacle.Claimed(writer));
    }

    @Test
    void permitsHoldTogetherAsLongAsEachFindsRoom() {
        Entry one = add(Mode.PERMIT, 2);
        Entry narrow = add(Mode.PERMIT, 1);
        Entry wide = add(Mode.PERMIT, 3);

        assertThat(line().holders()).containsExactly(one);
        assertThat(line().before(narrow.holder())).isEqualTo(new Obstacle.Crowded(one));
        assertThat(line().before(wide.holder()))
                .as("no claim overtakes another")
                .isEqualTo(new Obstacle.Crowded(one));
        assertThat(line().before(Mode.EXCLUSIVE, 1)).isEqualTo(new Obstacle.Claimed(wide));
    }

    @Test
    @DisplayName("L10: a lock-delay means nothing while its claim is in the line, and closes the lock when it is not")
    void aLockDelayWithoutItsClaimClosesTheLock() {
        Entry holder = add(Mode.EXCLUSIVE, 1);
        Entry next = add(Mode.EXCLUSIVE, 1);
        delays.add(new LockDelay(holder.key(), holder.holder(), Mode.EXCLUSIVE, Duration.ofSeconds(60), 1, 1));
        assertThat(line().holders()).containsExactly(holder);
        assertThat(line().openDelays()).isEmpty();

        entries.remove(holder);

        assertThat(line().holders()).isEmpty();
        assertThat(line().before(next.holder())).isEqualTo(new Obstacle.Delayed());
        entries.clear();
        assertThat(line().before(Mode.SHARED, 1)).isEqualTo(new Obstacle.Delayed());
        delays.clear();
        assertThat(line().before(Mode.SHARED, 1)).isNull();
    }

    private Line line() {
        return new Line(List.copyOf(entries), List.copyOf(delays));
    }

    private Entry add(Mode mode, int permits) {
        int number = entries.size() + 1;
        Claim claim = new Claim(
                "job",
                new HolderId(number, number, number),
                "client",
                "label",
                mode,
                permits,
                Duration.ofSeconds(30),
                Duration.ZERO,
                1);
        Entry entry = new Entry(ByteSequence.EMPTY, claim, number, number, 1, false);
        entries.add(entry);
        return entry;
    }
}
