package io.holdfast.spi;

import java.util.Locale;
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

    private static final Pattern SECRET = Pattern.compile("pass|pwd|secret|token|key|credential");

    private UrlMask() {}

    static String mask(String url) {
        String text = url;
        Matcher users = USER_INFO.matcher(text);
        if (users.find()) {
            text = users.replaceFirst("//" + HIDDEN + "@");
        } else {
            text = BROKEN_USER_INFO.matcher(text).replaceFirst("//" + HIDDEN + "@");
            text = NO_SCHEME.matcher(text).replaceFirst("$1" + HIDDEN + "@");
        }
        text = ORACLE.matcher(text).replaceFirst("$1" + HIDDEN + "@");
        return OPTION.matcher(text)
                .replaceAll(option -> Matcher.quoteReplacement(
                        option.group(1) + "=" + (isSecret(option.group(1)) ? HIDDEN : option.group(2))));
    }

    private static boolean isSecret(String name) {
        // An escaped name cannot be told from a secret one without decoding it: hide its value.
        return name.indexOf('%') >= 0
                || SECRET.matcher(name.toLowerCase(Locale.ROOT)).find();
    }
}
