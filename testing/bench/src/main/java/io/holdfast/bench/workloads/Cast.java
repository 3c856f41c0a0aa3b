package io.holdfast.bench.workloads;

import java.util.List;

/**
 * Who can take part over a kind of store. Has a constructor without arguments, so that another process can be told the
 * name of the class and of one of its entrants.
 */
interface Cast {
    /** All of them; titles are unique. */
    List<Entrant> all();

    /** The one of this title. */
    default Entrant named(String title) {
        return all().stream()
                .filter(entrant -> entrant.title().equals(title))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "no entrant " + title + " in " + getClass().getSimpleName()));
    }

    /** The entrant of this title in the class of this name. */
    static Entrant find(String type, String title) throws ReflectiveOperationException {
        return Class.forName(type)
                .asSubclass(Cast.class)
                .getDeclaredConstructor()
                .newInstance()
                .named(title);
    }
}
