package io.holdfast.redis.claim;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.LossReason;
import io.holdfast.Mode;
import io.holdfast.spi.Granted;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.Term;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the answers of the scripts: words are separated by spaces, records by line ends. */
final class Replies {
    private Replies() {}

    static boolean isGrant(String reply) {
        return reply.startsWith("G ");
    }

    static boolean isQueued(String reply) {
        return reply.startsWith("Q ");
    }

    /** {@code G token span ms flag}. */
    static Granted grant(String reply, long sentNanos) {
        String[] words = reply.split(" ");
        return new Granted(
                Long.parseLong(words[1]),
                Integer.parseInt(words[2]),
                new Term(sentNanos, millis(words[3]).toNanos()),
                words[4].equals("p"));
    }

    /** {@code R obstacle}, {@code W obstacle}, {@code Q head obstacle}. */
    static Refused refused(String reply) {
        String[] words = reply.split(" ");
        int at = isQueued(reply) ? 2 : 1;
        long closed = Long.parseLong(words[at]);
        boolean delay = words[at + 1].equals("1");
        // The script rounds up, so that a claim that asks again then finds it over; one millisecond less may remain.
        Duration remaining = closed < 0 ? null : Duration.ofMillis(Math.max(0, closed - 1));
        return new Refused(holder(words, at + 2), remaining, delay, delay ? Duration.ofMillis(closed) : null);
    }

    /** Whether the waiter is the first of its queue. */
    static boolean isHead(String reply) {
        return reply.startsWith("Q 1 ");
    }

    /** Whether a release handed the lock to a waiter. */
    static boolean isPassedOn(String reply) {
        return reply.equals("P");
    }

    /** {@code H}, {@code P} or {@code N holder}. */
    static ReleaseResult released(String reply) {
        return reply.equals("H") || isPassedOn(reply)
                ? ReleaseResult.Released.INSTANCE
                : new ReleaseResult.NotHeld(holder(reply.split(" "), 1));
    }

    /** {@code K ms}, {@code L} or {@code X}. */
    static RenewResult renewed(String reply, long sentNanos) {
        return switch (reply.charAt(0)) {
            case 'K' ->
                new RenewResult.Renewed(
                        new Term(sentNanos, millis(reply.substring(2)).toNanos()));
            case 'X' -> new RenewResult.Lost(LossReason.REVOKED);
            default -> new RenewResult.Lost(LossReason.GONE);
        };
    }

    /** {@code V ms} or {@code N}. */
    static RevokeResult revoked(String reply) {
        return reply.startsWith("V ")
                ? new RevokeResult.Revoked(millis(reply.substring(2)))
                : new RevokeResult.NotHeld();
    }

    /** {@code A}, {@code S token} or {@code O name}. */
    static MarkResult marked(String reply) {
        return switch (reply.charAt(0)) {
            case 'A' -> new MarkResult.Admitted();
            case 'S' -> new MarkResult.Stale(Long.parseLong(reply.substring(2)));
            default -> new MarkResult.OtherLock(reply.substring(2));
        };
    }

    static LockStatus status(String lockName, String reply) {
        String[] lines = reply.split("\n");
        String[] words = lines[0].split(" ");
        List<Holder> holders = new ArrayList<>(lines.length - 1);
        for (int i = 1; i < lines.length; i++) {
            Holder holder = holder(lines[i].split(" "), 0);
            if (holder != null) {
                holders.add(holder);
            }
        }
        return new LockStatus(
                lockName,
                holders,
                Integer.parseInt(words[2]),
                millis(words[3]),
                words[4].equals("1"),
                Long.parseLong(words[0]),
                Duration.ofNanos(Long.parseLong(words[1]) * 1000));
    }

    static String mode(Mode mode) {
        return switch (mode) {
            case EXCLUSIVE -> "X";
            case SHARED -> "S";
            case PERMIT -> "P";
        };
    }

    private static @Nullable Holder holder(String[] words, int at) {
        if (words[at].equals("-")) {
            return null;
        }
        Mode mode = switch (words[at + 3]) {
            case "X" -> Mode.EXCLUSIVE;
            case "S" -> Mode.SHARED;
            default -> Mode.PERMIT;
        };
        return new Holder(
                Words.decode(words[at + 5]),
                Words.decode(words[at + 6]),
                mode,
                Long.parseLong(words[at + 1]),
                Integer.parseInt(words[at + 2]),
                millis(words[at + 4]),
                millis(words[at]));
    }

    private static Duration millis(String text) {
        return Duration.ofMillis(Long.parseLong(text));
    }
}
