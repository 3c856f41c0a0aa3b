package io.holdfast.cli.input;

import io.holdfast.LockOptions;
import io.holdfast.cli.output.DurationText;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people type them: {@code 250ms}, {@code 1.5s}, {@code 15m}, {@code 0}, ISO 8601. */
public final class Durations {
    private static final Pattern FORM = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(ms|s|m|h|d)");
    private static final BigDecimal LONGEST = BigDecimal.valueOf(LockOptions.LONGEST.toMillis());

    private Durations() {}

    /** Reads the value of an option, which is within {@code [shortest, 365 days]}. */
    public static Duration read(String option, String text, Duration shortest) {
        Duration duration = parse(option, text);
        if (duration.compareTo(shortest) < 0 || duration.compareTo(LockOptions.LONGEST) > 0) {
            throw outside(option, text, shortest);
        }
        return duration;
    }

    private static Duration parse(String option, String text) {
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return iso(option, text);
        }
        BigDecimal millis = new BigDecimal(form.group(1)).multiply(unit(form.group(2)));
        if (millis.compareTo(LONGEST) > 0) {
            throw outside(option, text, Duration.ZERO);
        }
        return Duration.ofNanos(millis.movePointRight(6).longValue());
    }

    private static Duration iso(String option, String text) {
        try {
            Duration duration = Duration.parse(text);
            if (!duration.isNegative()) {
                return duration;
            }
        } catch (DateTimeParseException | ArithmeticException e) {
            // Said below, as for a negative one.
        }
        throw new UsageException(
                option + ": '" + text + "' is not a duration; write a number and ms, s, m, h or d, as in 30s or 1.5h");
    }

    private static BigDecimal unit(String name) {
        return BigDecimal.valueOf(
                switch (name) {
                    case "ms" -> 1;
                    case "s" -> 1000;
                    case "m" -> 60_000;
                    case "h" -> 3_600_000;
                    default -> 86_400_000;
                });
    }

    private static UsageException outside(String option, String text, Duration shortest) {
        return new UsageException(
                option + " " + text + ": give a duration between " + DurationText.of(shortest) + " and 365d");
    }
}
