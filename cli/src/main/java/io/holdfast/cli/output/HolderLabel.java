package io.holdfast.cli.output;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parts of what a holder says of itself: {@code host:pid}, a name of its client, and a label of the request in
 * parentheses, as in {@code web-3:4711 importer (nightly)}. For people and their scripts: nothing is decided by it.
 *
 * @param host empty if the text is not of this form
 * @param pid empty if the text is not of this form
 * @param label the name and the label; empty if there is neither
 */
record HolderLabel(String host, String pid, String label) {
    private static final Pattern FORM = Pattern.compile("([A-Za-z0-9._-]+):([0-9]{1,10})(?: (.*))?");

    static HolderLabel of(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return new HolderLabel("", "", text);
        }
        String rest = Optional.ofNullable(form.group(3)).orElse("");
        boolean onlyLabel = rest.startsWith("(") && rest.endsWith(")");
        return new HolderLabel(form.group(1), form.group(2), onlyLabel ? rest.substring(1, rest.length() - 1) : rest);
    }
}
