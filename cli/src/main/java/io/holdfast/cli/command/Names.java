package io.holdfast.cli.command;

import io.holdfast.LockNames;

/** What a script may call a lock: as in Java, but never blanks only, which are usually a variable that was not set. */
final class Names {
    private Names() {}

    static String check(String name) {
        LockNames.check(name);
        if (name.isBlank()) {
            throw new UsageException("lock name '" + name + "' is blank: give it at least one visible character");
        }
        return name;
    }
}
