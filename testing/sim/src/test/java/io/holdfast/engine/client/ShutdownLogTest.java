package io.holdfast.engine.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Election;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** E1: a leader that is shut down in the ordinary way is told so, and nothing is logged. */
class ShutdownLogTest {
    /** Held here, because the logging system forgets loggers that nothing holds. */
    private static final Logger ENGINE = Logger.getLogger("io.holdfast");

    @Test
    void closingTheClientOfALeaderLogsNothing() {
        List<String> logged = new ArrayList<>();
        List<LossReason> ends = new ArrayList<>();
        Handler handler = recording(logged);
        Level before = ENGINE.getLevel();
        ENGINE.setLevel(Level.ALL);
        ENGINE.addHandler(handler);
        try {
            Holdfast holdfast = new EngineUnderTest().client();
            Election.Candidacy candidacy = holdfast.election("lead").stand(new Election.Candidate() {
                @Override
                public void elected(Lease leadership) {}

                @Override
                public void deposed(Loss loss) {
                    ends.add(loss.reason());
                }
            });
            assertThat(candidacy.isLeader()).isTrue();

            holdfast.close();
        } finally {
            ENGINE.removeHandler(handler);
            ENGINE.setLevel(before);
        }

        assertThat(ends).containsExactly(LossReason.CLIENT_CLOSED);
        assertThat(logged).isEmpty();
    }

    private static Handler recording(List<String> logged) {
        return new Handler() {
            @Override
            public void publish(LogRecord logRecord) {
                logged.add(logRecord.getLevel() + " " + logRecord.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }
}
