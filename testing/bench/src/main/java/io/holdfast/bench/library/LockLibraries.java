package io.holdfast.bench.library;

import java.util.List;

/**
 * The lock libraries for one kind of store. Has a constructor without arguments, so that another process can be told the
 * name of the class and of one of its libraries.
 */
public interface LockLibraries {
    /** All of them; titles are unique. */
    List<LockLibrary> all();

    /** The one of this title. */
    default LockLibrary named(String title) {
        return all().stream()
                .filter(library -> library.title().equals(title))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "no library " + title + " in " + getClass().getSimpleName()));
    }

    /** The library of this title in the class of this name. */
    static LockLibrary find(String type, String title) throws ReflectiveOperationException {
        return Class.forName(type)
                .asSubclass(LockLibraries.class)
                .getDeclaredConstructor()
                .newInstance()
                .named(title);
    }
}
