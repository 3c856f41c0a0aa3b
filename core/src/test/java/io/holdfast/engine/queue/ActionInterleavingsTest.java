package io.holdfast.engine.queue;

import static io.holdfast.engine.queue.QueueRules.Waiting.PULL;
import static io.holdfast.engine.queue.QueueRules.Waiting.QUEUE;
import static io.holdfast.engine.queue.QueueRules.Waiting.WATCH;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.queue.Interleaving.Answer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Performs the actions of the local queue in every order, with every answer of the store: at once, late, twice, never. In
 * each run there is at most one exclusive lease, every request has exactly one outcome, no renewal follows a release,
 * nothing that was opened stays, and no request waits without a cause.
 */
class ActionInterleavingsTest {
    private static final List<Answer> PROMPT = List.of(Answer.AT_ONCE, Answer.LATE);
    private static final List<Answer> FAILING = List.of(Answer.AT_ONCE, Answer.ERROR);
    private static final List<Answer> ALL = List.of(Answer.AT_ONCE, Answer.LATE, Answer.TWICE, Answer.NEVER);

    /** A script has too many runs if it has more than this. */
    private static final int MOST_RUNS = 400_000;

    private record Script(QueueRules.Waiting waiting, List<Answer> answers, List<String> calls) {
        Script(QueueRules.Waiting waiting, List<Answer> answers, String... calls) {
            this(waiting, answers, List.of(calls));
        }
    }

    private static Stream<Script> scripts() {
        return Stream.of(QUEUE, PULL, WATCH)
                .flatMap(waiting -> Stream.of(
                        new Script(waiting, ALL, "submit A", "release A"),
                        new Script(waiting, ALL, "submit A", "withdraw A"),
                        new Script(waiting, ALL, "submit A", "timeUp A"),
                        new Script(waiting, ALL, "submit A", "close"),
                        new Script(waiting, ALL, "try A", "close"),
                        new Script(waiting, ALL, "submit A", "try B", "release A"),
                        new Script(waiting, PROMPT, "submit A", "submit B", "release A"),
                        new Script(waiting, PROMPT, "submit A", "submit B", "withdraw A"),
                        new Script(waiting, PROMPT, "submit A", "submit B", "timeUp A"),
                        new Script(waiting, PROMPT, "submit A", "submit B", "close"),
                        new Script(waiting, FAILING, "submit A", "submit B", "release A"),
                        new Script(waiting, FAILING, "foreign", "submit A", "submit B", "timeUp A", "foreignEnds"),
                        new Script(waiting, ALL, "aging", "foreign", "submit A", "foreignEnds", "withdraw A"),
                        new Script(waiting, PROMPT, "aging", "foreign", "submit A", "foreignEnds", "close"),
                        new Script(waiting, PROMPT, "foreign", "submit A", "withdraw A", "foreignEnds"),
                        new Script(waiting, PROMPT, "foreign", "submit A", "foreignEnds", "timeUp A"),
                        new Script(waiting, PROMPT, "foreign", "submit A", "foreignEnds", "close"),
                        new Script(waiting, PROMPT, "foreign", "submit A", "submit B", "foreignEnds", "withdraw A")));
    }

    @TestFactory
    Stream<DynamicTest> everyOrder() {
        return scripts()
                .map(script -> DynamicTest.dynamicTest(script.toString(), () -> {
                    Choices choices = new Choices();
                    int runs = 0;
                    do {
                        new Interleaving(script.waiting(), script.answers(), choices).play(script.calls());
                        runs++;
                    } while (choices.advance() && runs < MOST_RUNS);
                    assertThat(runs).as("runs").isLessThan(MOST_RUNS);
                }));
    }
}
