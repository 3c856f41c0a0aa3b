package io.holdfast.spi.support;

import io.holdfast.LockNames;

/**
 * Lock names of one namespace as a store of records keeps them: the name itself without a namespace, else the namespace,
 * a control character and the name. Neither names nor namespaces contain control characters, so no two pairs collide.
 */
public record NameSpace(String namespace) {
    /** Between namespace and name. */
    public static final String SEPARATOR = "\u001f";

    /** Greater, in the order of bytes, than every full name. */
    public static final String BEYOND =
            Character.toString(Character.MAX_CODE_POINT).repeat(2 * LockNames.LONGEST + 2);

    /** Checks it. */
    public NameSpace {
        if (!namespace.isEmpty()) {
            LockNames.check("namespace", namespace);
        }
    }

    /**
     * The namespace of a store.
     *
     * @param inUrl what the store URL says; empty if it says nothing
     * @param ofClient what the client says; empty if it says nothing
     * @throws IllegalArgumentException if the two differ
     */
    public static NameSpace of(String inUrl, String ofClient) {
        if (!inUrl.isEmpty() && !ofClient.isEmpty() && !inUrl.equals(ofClient)) {
            throw new IllegalArgumentException("the store URL has the namespace '" + inUrl + "' and the client '"
                    + ofClient + "': give one of them");
        }
        return new NameSpace(inUrl.isEmpty() ? ofClient : inUrl);
    }

    /** As stored. */
    public String full(String name) {
        return namespace.isEmpty() ? name : namespace + SEPARATOR + name;
    }

    /** As the user knows it. */
    public String plain(String full) {
        return namespace.isEmpty() ? full : full.substring(namespace.length() + 1);
    }

    /** A character that a full name of this namespace that begins with its own prefix never contains. */
    public String foreign() {
        return namespace.isEmpty() ? SEPARATOR : "\u0001";
    }

    /**
     * The first text, in the order of UTF-8 bytes, after everything that begins with {@code prefix}. That order
     * is the order of code points.
     */
    public static String after(String prefix) {
        int end = prefix.length();
        while (end > 0) {
            int last = prefix.codePointBefore(end);
            int start = end - Character.charCount(last);
            if (last < Character.MAX_CODE_POINT) {
                int next = last + 1 >= Character.MIN_SURROGATE && last < Character.MIN_SURROGATE
                        ? Character.MAX_SURROGATE + 1
                        : last + 1;
                return prefix.substring(0, start) + Character.toString(next);
            }
            end = start;
        }
        return BEYOND;
    }
}
