package io.holdfast.cli.supervise;

import io.holdfast.Loss;
import java.time.Duration;

/** What happens to a supervised run: signals, renewals, losses, the end of the command. */
sealed interface Event {
    /** The command has ended with this exit code; 128 + n if signal n ended it. */
    record Exited(int code) implements Event {}

    /** This process received a signal. */
    record Signalled(Signals signal) implements Event {}

    /** The lease was renewed. */
    record Renewed() implements Event {}

    /** Renewal is failing. */
    record InJeopardy(Duration remaining) implements Event {}

    /** The lease is lost. */
    record LeaseLost(Loss loss) implements Event {}

    /** The lease was revoked, and the store keeps the lock closed until the end that was known. */
    record StillClosed() implements Event {}

    /** A watchdog has ended. */
    record WatchdogGone(Watchdog watchdog) implements Event {}
}
