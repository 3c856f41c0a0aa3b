package io.holdfast.engine.queue;

import static io.holdfast.engine.queue.QueueRules.Waiting.PULL;
import static io.holdfast.engine.queue.QueueRules.Waiting.QUEUE;
import static io.holdfast.engine.queue.QueueRules.Waiting.WATCH;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The transitions of the local queue: after these steps, the last one wants this to be done. */
class LocalQueueTest {
    private record Row(String what, QueueRules.Waiting waiting, String steps, String actions) {}

    private static Row row(String what, QueueRules.Waiting waiting, String steps, String actions) {
        return new Row(what, waiting, steps, actions);
    }

    private static final List<Row> REQUESTS = List.of(
            row("a request on an idle queue asks the store", QUEUE, "submit A", "Ask A"),
            row("a request behind another waits in line", QUEUE, "submit A, submit B", "nothing"),
            row("a request behind a holder waits in line", PULL, "submit A, granted A, submit B", "nothing"),
            row("a try behind another request is refused", PULL, "submit A, try B", "Wake B refused"),
            row("a try behind a holder is refused", QUEUE, "submit A, granted A, try B", "Wake B refused"),
            row("a try on an idle queue asks the store", QUEUE, "try A", "Ask A"),
            row("a shared try contends beside a shared request", QUEUE, "share A, tryShare B", "Ask B"),
            row("a shared try beside an exclusive request is refused", PULL, "submit A, tryShare B", "Wake B refused"),
            row("a shared request asks beside shared holders", QUEUE, "share A, granted A, share B", "Ask B"),
            row("an exclusive request asks beside shared holders", QUEUE, "share A, granted A, submit B", "Ask B"),
            row("a permit asks beside permits", PULL, "permit A, granted A, permit B", "Ask B"),
            row("a try while the client stands back is refused", PULL, "standBack, try A", "Wake A refused"),
            row("a request while the client stands back pauses", PULL, "standBack, submit A", "Pause"),
            row("and asks afterwards", PULL, "standBack, submit A, wait, pauseOver A", "Ask A"));

    private static final List<Row> ANSWERS = List.of(
            row("a grant becomes a lease", QUEUE, "submit A, granted A", "Establish A"),
            row("the next request waits for the holder", QUEUE, "submit A, submit B, granted A", "Establish A"),
            row("a shared grant lets the next request ask", QUEUE, "share A, share B, granted A", "Establish A, Ask B"),
            row("a repeated grant says nothing", QUEUE, "submit A, granted A, granted A", "nothing"),
            row("a refusal after a grant says nothing", PULL, "submit A, granted A, refused A", "nothing"),
            row("a refused try is told", PULL, "try A, refused A", "Wake A refused"),
            row("after a refusal a pull store is asked later", PULL, "submit A, refused A", "Pause"),
            row("after a refusal a watched name is watched", WATCH, "submit A, refused A", "Pause, Watch"),
            row("it is watched once", WATCH, "submit A, refused A, watched A, refused A", "Pause"),
            row("an open watch asks once more", WATCH, "submit A, refused A, watched A", "Ask A"),
            row("an unwanted watch is closed", WATCH, "submit A, refused A, withdraw A, watched A", "Discard"),
            row("a hint ends a pause", WATCH, "submit A, refused A, hinted A", "Ask A"),
            row("a hint during an ask is remembered", WATCH, "submit A, hinted A, refused A", "Ask A"),
            row("a hint to a holder says nothing", WATCH, "submit A, granted A, hinted A", "nothing"),
            row("the end of a pause asks", PULL, "submit A, refused A, pauseOver A", "Ask A"),
            row("a pause ends once", PULL, "submit A, refused A, pauseOver A, pauseOver A", "nothing"),
            row("an ask stops the timer", WATCH, "submit A, refused A, armed A, hinted A", "Ask A, Discard"),
            row("a late timer is cancelled", PULL, "submit A, refused A, withdraw A, armed A", "Discard"),
            row("a place in the store's queue awaits its push", QUEUE, "submit A, queued A", "AwaitPush"),
            row("a repeated place says nothing", QUEUE, "submit A, queued A, queued A", "nothing"),
            row("a pushed grant becomes a lease", QUEUE, "submit A, queued A, pushed A", "Establish A"),
            row("a pushed grant that aged is confirmed", QUEUE, "submit A, queued A, aged A", "Confirm"),
            row(
                    "a pushed grant after a suspend is confirmed",
                    QUEUE,
                    "submit A, queued A, pushedAfterSuspend A",
                    "Confirm"),
            row(
                    "a push during the confirmation says nothing",
                    QUEUE,
                    "submit A, queued A, aged A, pushed A",
                    "nothing"),
            row("a confirmed grant becomes a lease", QUEUE, "submit A, queued A, aged A, confirmed A", "Establish A"),
            row(
                    "an unconfirmed grant is released and asked for anew",
                    QUEUE,
                    "submit A, queued A, aged A, unconfirmed A",
                    "Pause, Release A"),
            row("an outage pauses", PULL, "submit A, failed A known", "Pause"),
            row("an unknown outcome is released", PULL, "submit A, failed A unknown", "Release A, Pause"),
            row(
                    "an error fails the request and not the next",
                    QUEUE,
                    "submit A, submit B, failed A error",
                    "Wake A failed, Ask B, Release A"),
            row(
                    "a pause that cannot be made fails the request",
                    PULL,
                    "submit A, refused A, unable A",
                    "Wake A failed"),
            row("a late timer of a wait is cancelled", QUEUE, "submit A async, granted A, timer A", "Discard"));

    private static final List<Row> ENDS_OF_WAITS = List.of(
            row("before its end a wait goes on", PULL, "submit A, early A", "nothing"),
            row("a waiter in line times out", QUEUE, "submit A, submit B, timeUp B", "Wake B timeout"),
            row("an asking request gets its last answer", PULL, "submit A, timeUp A", "Arm A"),
            row("which may be a grant", PULL, "submit A, timeUp A, granted A", "Establish A"),
            row("or a refusal", PULL, "submit A, timeUp A, refused A", "Wake A timeout"),
            row("or an outage", PULL, "submit A, timeUp A, failed A known", "Wake A unavailable"),
            row("or none", PULL, "submit A, timeUp A, timeUp A", "Wake A unavailable"),
            row("a pausing request asks a last time", PULL, "submit A, refused A, timeUp A", "Arm A, Ask A"),
            row("a queued request leaves the queue first", QUEUE, "submit A, queued A, timeUp A", "Arm A, Cancel"),
            row("then it times out", QUEUE, "submit A, queued A, timeUp A, cancelled A", "Wake A timeout"),
            row(
                    "a place that cannot be given up is an outage",
                    QUEUE,
                    "submit A, queued A, timeUp A, cancelFailed A",
                    "Wake A unavailable, Release A"),
            row("a push during the cancel is not used", QUEUE, "submit A, queued A, timeUp A, pushed A", "nothing"),
            row(
                    "a place passes to the next in line",
                    QUEUE,
                    "submit A, submit B, queued A, timeUp A",
                    "Wake A timeout, Extend"),
            row("which is granted the lock", QUEUE, "submit A, submit B, queued A, timeUp A, pushed B", "Establish B"),
            row(
                    "but not to a request with another TTL",
                    QUEUE,
                    "submit A, submit B otherTtl, queued A, timeUp A",
                    "Wake A timeout, Cancel, Ask B"),
            row(
                    "an unreachable store is an outage",
                    QUEUE,
                    "submit A, submit B, queued A, timeUpUnreachable B",
                    "Wake B unavailable"),
            row("a withdrawn ask is released when granted", PULL, "submit A, withdraw A, granted A", "Release A"),
            row("and only once", PULL, "submit A, withdraw A, granted A, granted A", "nothing"),
            row("a withdrawn ask is cancelled when queued", QUEUE, "submit A, withdraw A, queued A", "Cancel"),
            row("a withdrawn place is cancelled", QUEUE, "submit A, queued A, withdraw A", "Wake A refused, Cancel"),
            row("a withdrawn confirmation waits", QUEUE, "submit A, queued A, aged A, withdraw A", "Wake A refused"),
            row(
                    "and is released with its answer",
                    QUEUE,
                    "submit A, queued A, aged A, withdraw A, confirmed A",
                    "Release A"),
            row("a request is withdrawn once", PULL, "submit A, withdraw A, withdraw A", "nothing"));

    private static final List<Row> ENDS_OF_GRANTS = List.of(
            row("a release is sent", QUEUE, "submit A, granted A, release A", "End"),
            row("a grant passes to the next in line", PULL, "submit A, granted A, submit B, release A", "Pass to B"),
            row(
                    "but not to a request with another TTL",
                    QUEUE,
                    "submit A, granted A, submit B otherTtl, release A",
                    "Exchange for B"),
            row(
                    "nor to a shared one; a pull store pauses first",
                    PULL,
                    "submit A, granted A, share B, release A",
                    "End, Pause"),
            row("a watched name waits for the answer", WATCH, "submit A, granted A, share B, release A", "End"),
            row("then asks", WATCH, "submit A, granted A, share B, release A, released A", "Ask B"),
            row("a lost grant lets the next ask", QUEUE, "submit A, granted A, submit B, lost A", "Ask B"),
            row("close fails what waits", QUEUE, "submit A, queued A, close", "Wake A failed, Cancel"),
            row("close releases what was asked", PULL, "submit A, close", "Wake A failed, Release A"),
            row("close leaves a confirmation", QUEUE, "submit A, queued A, aged A, close", "Wake A failed"),
            row("close ends", PULL, "submit A, close, close", "nothing"),
            row("an idle queue is retired", PULL, "submit A, granted A, release A, retire", "Forget"),
            row("a held queue is not", PULL, "submit A, granted A, retire", "nothing"),
            row("one that stands back is retired later", PULL, "standBack, retire", "RetireLater"),
            row(
                    "a broken queue fails everything",
                    QUEUE,
                    "submit A, granted A, submit B, broke",
                    "Wake B failed, Lose, Forget"));

    @TestFactory
    Stream<DynamicTest> transitions() {
        return Stream.of(REQUESTS, ANSWERS, ENDS_OF_WAITS, ENDS_OF_GRANTS)
                .flatMap(List::stream)
                .map(row -> DynamicTest.dynamicTest(
                        row.what() + " (" + row.waiting() + ": " + row.steps() + ")",
                        () -> assertThat(new QueueTable(row.waiting()).play(row.steps()))
                                .isEqualTo(row.actions())));
    }

    @Test
    void aClockThatFallsDoesNotTakeTheQueueBack() {
        LocalQueue queue = new QueueTable(PULL).queue;

        assertThat(queue.advance(100)).isEqualTo(100);
        assertThat(queue.advance(90)).isEqualTo(100);
        assertThat(queue.advance(110)).isEqualTo(110);
    }

    @Test
    void aHotQueueReservesTokensForItsWaiters() {
        assertThat(new QueueTable(QUEUE).play("submit A, submit B, submit C, withdraw A, granted A"))
                .isNotEmpty();
        assertThat(new QueueTable(PULL).play("share A, submit B, submit C, granted A"))
                .isEqualTo("Establish A, Ask B for 2");
    }
}
