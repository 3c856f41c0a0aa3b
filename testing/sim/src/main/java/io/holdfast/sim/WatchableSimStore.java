package io.holdfast.sim;

import io.holdfast.spi.WatchableStore;
import java.util.ArrayList;
import java.util.List;

/** Pull, with hints from the server that may be lost like any message. */
final class WatchableSimStore extends SimStore implements WatchableStore {
    /** Not a record: two watches of the same name with the same callback are two watches. */
    private static final class Registration {
        private final String name;
        private final Runnable wake;

        Registration(String name, Runnable wake) {
            this.name = name;
            this.wake = wake;
        }
    }

    private final List<Registration> watches = new ArrayList<>();

    WatchableSimStore(Client client, Site site) {
        super(client, site);
    }

    @Override
    public Watch watch(String lockName, Runnable wake) {
        Registration registration = new Registration(lockName, wake);
        watches.add(registration);
        return () -> watches.remove(registration);
    }

    /** The server hints to everybody; a hint arrives, or not. */
    void hint(String name) {
        if (watches.stream().anyMatch(watch -> watch.name.equals(name))) {
            site.network()
                    .reply(
                            client,
                            "hint " + name,
                            () -> List.copyOf(watches).stream()
                                    .filter(watch -> watch.name.equals(name))
                                    .forEach(watch -> watch.wake.run()));
        }
    }

    /** Watches that nobody has closed. */
    int open() {
        return watches.size();
    }
}
