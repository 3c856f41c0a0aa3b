package io.holdfast.cli.input;

import io.holdfast.LockNames;

/** Checks the name of a lock: as in Java, but blanks only are refused, because they are usually an unset variable. */
public final class Names {
    private Names() {}

    public static String check(String name) {
        LockNames.check(name);
        if (name.isBlank()) {
            throw new UsageException("lock name '" + name + "' is blank: give it at least one visible character");
        }
        return name;
    }
}
