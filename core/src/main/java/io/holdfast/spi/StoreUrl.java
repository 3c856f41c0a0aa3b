package io.holdfast.spi;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a store is: {@code scheme:rest?option=value&…}. {@link #toString()} never shows a password.
 *
 * <p>Options that a provider does not know are errors ({@link #allowOnly}), so that a typo is not silently ignored.
 */
public final class StoreUrl {
    private static final int LONGEST = 8192;
    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*):(.*)", Pattern.DOTALL);
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,15})(ns|us|ms|s|m|h|d)");

    private final String raw;
    private final String scheme;
    private final String rest;
    private final Map<String, String> options;

    private StoreUrl(String raw, String scheme, String rest, Map<String, String> options) {
        this.raw = raw;
        this.scheme = scheme;
        this.rest = rest;
        this.options = options;
    }

    /**
     * Reads a URL.
     *
     * @throws IllegalArgumentException if it has no scheme or its options cannot be read
     */
    public static StoreUrl parse(String url) {
        if (url.length() > LONGEST) {
            throw new IllegalArgumentException(
                    "a store URL has at most " + LONGEST + " characters, but this one has " + url.length());
        }
        Matcher matcher = SCHEME.matcher(url);
        if (!matcher.matches()) {
            String shown = UrlMask.mask(url); // masked before it is cut, or a long password would show its head
            throw new IllegalArgumentException("'" + (shown.length() > 80 ? shown.substring(0, 80) + "…" : shown)
                    + "' is not a store URL: it needs a scheme, as in sqlite:/var/lib/app/locks.db");
        }
        String rest = matcher.group(2);
        int question = rest.indexOf('?');
        String query = question < 0 ? "" : rest.substring(question + 1);
        return new StoreUrl(
                url,
                matcher.group(1).toLowerCase(Locale.ROOT),
                question < 0 ? rest : rest.substring(0, question),
                options(url, query));
    }

    /** The scheme, lower case, without the colon. */
    public String scheme() {
        return scheme;
    }

    /** What stands between the scheme's colon and the question mark. May contain a password. */
    public String rest() {
        return rest;
    }

    /** The whole URL as it was given. May contain a password: never log it. */
    public String raw() {
        return raw;
    }

    /** The options after the question mark, decoded, in their order. */
    public Map<String, String> options() {
        return options;
    }

    /** One option. */
    public Optional<String> option(String name) {
        return Optional.ofNullable(options.get(name));
    }

    /** An option that is a duration, as in {@code 15ms}, {@code 2s}, {@code 5m}. */
    public Duration duration(String name, Duration otherwise) {
        String value = options.get(name);
        return value == null ? otherwise : parseDuration("option " + name, value);
    }

    /** Refuses options other than {@code known}. */
    public void allowOnly(Set<String> known) {
        for (String option : options.keySet()) {
            if (!known.contains(option)) {
                // What an unknown option holds is unknown as well: it may be a password.
                throw new IllegalArgumentException("store URL '" + UrlMask.mask(raw, known::contains)
                        + "' has the unknown option '" + option + "'; known are "
                        + String.join(", ", known.stream().sorted().toList()));
            }
        }
    }

    /** The URL for people: without user info and without the values of options that look secret. */
    @Override
    public String toString() {
        return UrlMask.mask(raw);
    }

    /** Reads a duration such as {@code 15ms}, {@code 2s}, {@code 5m}, {@code 1h} or ISO 8601. */
    public static Duration parseDuration(String what, String text) {
        Matcher matcher = DURATION.matcher(text);
        try {
            if (!matcher.matches()) {
                return notNegative(what, Duration.parse(text));
            }
            long amount = Long.parseLong(matcher.group(1));
            return switch (matcher.group(2)) {
                case "ns" -> Duration.ofNanos(amount);
                case "us" -> Duration.ofNanos(Math.multiplyExact(amount, 1000));
                case "ms" -> Duration.ofMillis(amount);
                case "s" -> Duration.ofSeconds(amount);
                case "m" -> Duration.ofMinutes(amount);
                case "h" -> Duration.ofHours(amount);
                default -> Duration.ofDays(amount);
            };
        } catch (java.time.format.DateTimeParseException | ArithmeticException e) {
            throw new IllegalArgumentException(
                    what + ": '" + text + "' is not a duration; write a whole number and ms, s, m, h or d, as in 30s");
        }
    }

    private static Duration notNegative(String what, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(what + ": " + value + " is negative; write a duration such as 30s");
        }
        return value;
    }

    private static Map<String, String> options(String url, String query) {
        Map<String, String> options = new LinkedHashMap<>();
        for (String pair : query.isEmpty() ? new String[0] : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals <= 0) {
                throw new IllegalArgumentException(
                        "store URL '" + UrlMask.mask(url) + "': an option is written name=value");
            }
            if (options.put(decode(url, pair.substring(0, equals)), decode(url, pair.substring(equals + 1))) != null) {
                throw new IllegalArgumentException("store URL '" + UrlMask.mask(url) + "' has the option '"
                        + pair.substring(0, equals) + "' twice");
            }
        }
        return Collections.unmodifiableMap(options);
    }

    private static String decode(String url, String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "store URL '" + UrlMask.mask(url) + "': an option has a broken % escape");
        }
    }
}
