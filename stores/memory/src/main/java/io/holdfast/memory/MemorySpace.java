package io.holdfast.memory;

import io.holdfast.LockStatus;
import io.holdfast.Sequencer;
import io.holdfast.Ticker;
import io.holdfast.fence.Marks;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.MarkResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What a server is to other stores: the locks and marks that several {@link MemoryLockStore}s, the clients, share.
 * Thread-safe; names are spread over stripes that do not disturb each other.
 *
 * <p>Its clock is the server's: leases end by its monotonic reading, tokens are drawn from its wall clock.
 */
public final class MemorySpace {
    private static final ConcurrentMap<SpaceName, MemorySpace> SHARED = new ConcurrentHashMap<>();
    private static final int STRIPES = 16;
    private static final int BUCKETS_PER_STRIPE = 256;

    private record SpaceName(String name, String namespace) {}

    private record Mark(String lockName, Marks marks) {}

    private final Stripe[] stripes = new Stripe[STRIPES];
    private final ConcurrentMap<String, Mark> marks = new ConcurrentHashMap<>();

    /** A space of its own on {@code clock}. */
    public MemorySpace(Ticker clock) {
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Stripe(clock, BUCKETS_PER_STRIPE);
        }
    }

    /** The space of this name in this JVM, on the machine's clocks. It lives as long as the JVM. */
    public static MemorySpace shared(String name) {
        return shared(name, "");
    }

    /** The space of this name and namespace in this JVM. */
    public static MemorySpace shared(String name, String namespace) {
        return SHARED.computeIfAbsent(new SpaceName(name, namespace), key -> new MemorySpace(Ticker.system()));
    }

    /** Forgets locks, queues and tokens, as a server that comes back without its data does. Marks stay. */
    public void loseData() {
        for (Stripe stripe : stripes) {
            stripe.loseData();
        }
    }

    Stripe stripe(String name) {
        int hash = name.hashCode() * 0x9E3779B9;
        return stripes[hash >>> 28];
    }

    List<LockStatus> inspect(LockQuery query) {
        String text = query.text();
        if (!query.prefix()) {
            return stripe(text)
                    .run(text, (table, now, wall) -> table.inspect(text, now, wall))
                    .map(List::of)
                    .orElse(List.of());
        }
        List<LockStatus> found = new ArrayList<>();
        for (Stripe stripe : stripes) {
            found.addAll(stripe.list(text));
        }
        found.sort(Comparator.comparing(LockStatus::lockName, MemorySpace::byBytes));
        return List.copyOf(found.subList(0, Math.min(found.size(), query.limit())));
    }

    MarkResult admit(String resource, Sequencer sequencer) {
        Mark before = marks.get(resource);
        while (true) {
            if (before != null && !before.lockName.equals(sequencer.lockName())) {
                return new MarkResult.OtherLock(before.lockName);
            }
            Marks seen = before == null ? Marks.NONE : before.marks;
            if (!seen.admits(sequencer.mode(), sequencer.token())) {
                return new MarkResult.Stale(seen.against(sequencer.mode()));
            }
            Mark after = new Mark(sequencer.lockName(), seen.with(sequencer.mode(), sequencer.token()));
            if (before == null ? marks.putIfAbsent(resource, after) == null : marks.replace(resource, before, after)) {
                return new MarkResult.Admitted();
            }
            before = marks.get(resource);
        }
    }

    void leave(MemoryLockStore store) {
        for (Stripe stripe : stripes) {
            stripe.leave(store);
        }
    }

    /** The order of the UTF-8 bytes, which is the order of the code points and not that of the {@code char}s. */
    private static int byBytes(String a, String b) {
        int[] left = a.codePoints().toArray();
        int[] right = b.codePoints().toArray();
        return java.util.Arrays.compare(left, right);
    }
}
