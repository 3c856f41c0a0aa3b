package io.holdfast.sim.client;

import io.holdfast.spi.WatchableStore;
import java.util.ArrayList;
import java.util.List;

/** Pull mode with hints. A hint may be lost like any message. */
public final class WatchableSimStore extends SimStore implements WatchableStore {
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

    public WatchableSimStore(Client client, RunContext run) {
        super(client, run);
    }

    @Override
    public Watch watch(String lockName, Runnable wake) {
        Registration registration = new Registration(lockName, wake);
        watches.add(registration);
        return () -> watches.remove(registration);
    }

    /** The server sends a hint to every client. A hint may be lost. */
    public void hint(String name) {
        if (watches.stream().anyMatch(watch -> watch.name.equals(name))) {
            run.network()
                    .reply(
                            client,
                            "hint " + name,
                            () -> List.copyOf(watches).stream()
                                    .filter(watch -> watch.name.equals(name))
                                    .forEach(watch -> watch.wake.run()));
        }
    }

    /** Watches that are not closed. */
    public int open() {
        return watches.size();
    }
}
