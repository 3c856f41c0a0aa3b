package io.holdfast.jdbc;

import io.holdfast.LockNames;

/**
 * Lock names of one namespace as they stand in the database: the name itself without a namespace, else the namespace, a
 * control character and the name. Neither names nor namespaces contain control characters, so no two pairs collide.
 */
record NameSpace(String namespace) {
    /** Between namespace and name. */
    static final String SEPARATOR = "\u001f";

    /** How many buckets of last tokens there are. */
    static final int BUCKETS = 4096;

    /** Greater, in the order of bytes, than every full name. */
    static final String BEYOND = Character.toString(Character.MAX_CODE_POINT).repeat(2 * LockNames.LONGEST + 2);

    /** Checks it. */
    NameSpace {
        if (!namespace.isEmpty()) {
            LockNames.check("namespace", namespace);
        }
    }

    /** As stored. */
    String full(String name) {
        return namespace.isEmpty() ? name : namespace + SEPARATOR + name;
    }

    /** As the user knows it. */
    String plain(String full) {
        return namespace.isEmpty() ? full : full.substring(namespace.length() + 1);
    }

    /** A character that a full name of this namespace that begins with its own prefix never contains. */
    String foreign() {
        return namespace.isEmpty() ? SEPARATOR : "\u0001";
    }

    /** The bucket of a full name; the same in every process. */
    static int bucket(String full) {
        int hash = full.hashCode();
        return (hash ^ (hash >>> 16)) & (BUCKETS - 1);
    }

    /**
     * The first text, in the order of UTF-8 bytes, after everything that begins with {@code prefix}. That order
     * is the order of code points.
     */
    static String after(String prefix) {
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
