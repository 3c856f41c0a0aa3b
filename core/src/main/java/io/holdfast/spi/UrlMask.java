package io.holdfast.spi;

import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Hides what may be a password in a URL. It is applied to what people typed, hence also to URLs that no parser would
 * accept (an unescaped {@code @}, {@code /} or {@code ?} in a password, a forgotten scheme): when in doubt it hides too
 * much.
 */
final class UrlMask {
    private static final String HIDDEN = "***";
    /** Up to the last {@code @} before the path or the query: the authority has a user. */
    private static final Pattern USER_INFO = Pattern.compile("//[^?]*@");
    /** {@code //user:word} where the word is no port: an unescaped character of a password ended the authority. */
    private static final Pattern BROKEN_USER_INFO = Pattern.compile("//[^/?#@\\[]*:(?![0-9]*(?:[/?#,;]|$)).*@");
    /** {@code user:word@host} without {@code //}: the scheme was forgotten. */
    private static final Pattern NO_SCHEME = Pattern.compile("^([^:/?]*:)(?!/)[^/?]*@");

    private static final Pattern ORACLE = Pattern.compile("^(jdbc:oracle:[a-z0-9]+:)[^@]*@", Pattern.CASE_INSENSITIVE);
    /** A value goes on until something that looks like the next option. */
    private static final Pattern OPTION =
            Pattern.compile("(?<=[?&;,(])([^=?&;,()]+)=(.*?)(?=[&;,)]\\s*\\(?[\\w.%-]+=|$)", Pattern.DOTALL);

    private static final Pattern SECRET = Pattern.compile("pass|pwd|secret|token|key|credential|auth|login|sig");

    /**
     * {@code :word} in an authority without {@code @}, where the word is no port or no host precedes it: a password whose
     * host was forgotten.
     */
    private static final Pattern NO_HOST = Pattern.compile(
            "(//(?:[^/?#@\\[\\]:,]*:[0-9]{1,5},|[^/?#@\\[\\]:,]*,)*)(:|[^/?#@\\[\\],;:]+:(?![0-9]{1,5}(?:[/?#,;]|$)))[^/?#,;]+");

    private UrlMask() {}

    /** Hides the user info, and the values of options that look secret. */
    static String mask(String url) {
        return mask(url, option -> true);
    }

    /** Hides the user info, and the values of all options that look secret or are not {@code known}. */
    static String mask(String url, Predicate<String> known) {
        String text = url;
        Matcher users = USER_INFO.matcher(text);
        if (users.find()) {
            text = users.replaceFirst("//" + HIDDEN + "@");
        } else {
            text = BROKEN_USER_INFO.matcher(text).replaceFirst("//" + HIDDEN + "@");
            text = NO_SCHEME.matcher(text).replaceFirst("$1" + HIDDEN + "@");
        }
        text = NO_HOST.matcher(text).replaceFirst("$1$2" + HIDDEN);
        text = ORACLE.matcher(text).replaceFirst("$1" + HIDDEN + "@");
        return OPTION.matcher(text)
                .replaceAll(option -> Matcher.quoteReplacement(option.group(1) + "="
                        + (known.test(option.group(1)) && !isSecret(option.group(1)) ? option.group(2) : HIDDEN)));
    }

    private static boolean isSecret(String name) {
        // An escaped name cannot be told from a secret one without decoding it: hide its value.
        return name.indexOf('%') >= 0
                || SECRET.matcher(name.toLowerCase(Locale.ROOT)).find();
    }
}
