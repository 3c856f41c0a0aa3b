package io.holdfast;

import java.util.Objects;

/** What a lock name may be. Names are compared byte by byte on every store: case, accents and spaces all count. */
public final class LockNames {
    /** The longest name, in Unicode characters (code points). */
    public static final int LONGEST = 512;

    private LockNames() {}

    /**
     * Returns {@code name} if it is a lock name: 1 to {@value #LONGEST} Unicode characters, none of them a control
     * character or half of a surrogate pair.
     *
     * @throws IllegalArgumentException that names the value and the remedy
     * @throws NullPointerException if it is null
     */
    public static String check(String name) {
        return check("lock name", name);
    }

    /** As {@link #check(String)}, for something that is named like a lock; {@code what} says what it is. */
    public static String check(String what, String name) {
        Objects.requireNonNull(name, () -> what + " is null: give it 1 to " + LONGEST + " characters");
        int length = name.length();
        if (length == 0) {
            throw new IllegalArgumentException(what + " is empty: give it 1 to " + LONGEST + " characters");
        }
        boolean plain = length <= LONGEST;
        for (int i = 0; plain && i < length; i++) {
            char c = name.charAt(i);
            plain = c >= ' ' && c < 0x7f;
        }
        if (!plain) {
            checkUnicode(what, name);
        }
        return name;
    }

    private static void checkUnicode(String what, String name) {
        int count = name.codePointCount(0, name.length());
        if (count > LONGEST) {
            throw new IllegalArgumentException(
                    what + " '" + shown(name) + "' has " + count + " characters: at most " + LONGEST + " are allowed");
        }
        name.codePoints().forEach(c -> {
            if (Character.isISOControl(c) || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)) {
                throw new IllegalArgumentException(String.format(
                        "%s '%s' contains the control character or lone surrogate U+%04X: remove it",
                        what, shown(name), c));
            }
        });
    }

    private static String shown(String name) {
        String head = name.length() <= 40 ? name : name.substring(0, 40) + "…";
        return head.replaceAll("[\\p{Cc}\\p{Cs}]", "?");
    }
}
