package io.holdfast.zookeeper.session;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of a store, one per TTL. The nodes of a dead process end with their session, so a session is no longer than
 * the leases on it (L15).
 *
 * <p>The first session, which is the longest, is opened with the store. Another one is opened when a shorter TTL is first
 * asked for. A session costs two threads and a connection, so there are {@value #MOST} at most (L22):
 *
 * <ul>
 *   <li>I1: the timeout of the session for a TTL is the TTL in whole seconds, or less, or the server's minimum, or a second.
 *   <li>I2: when there are as many sessions as allowed, a further TTL takes the longest session that is not above it. One of
 *       the {@value #MOST} is reserved for the server's minimum, so there always is such a session.
 *   <li>I3: a session is closed with the store and never before, so no claim is on a session that is being closed.
 * </ul>
 *
 * <p>Servers do not tell clients their minimum. It is learned from the first session that is longer than was asked for.
 * Thread-safe. No other monitor is entered while this one is held.
 */
public final class Sessions {
    /** The largest number of sessions. */
    public static final int MOST = 8;

    /** In milliseconds. Also the shortest timeout to ask for: ZooKeeper's client must connect within it. */
    private static final long SECOND = 1000;

    private final Connector connector;
    private final SessionSettings settings;
    private final SessionSlot first;
    private final long longest;

    /** By timeout in milliseconds: by the one asked for, until it is negotiated. */
    private final TreeMap<Long, CompletableFuture<SessionSlot>> all = new TreeMap<>();

    private long minimum;
    private boolean closed;
    private @Nullable StoreContext context;
    private Session.@Nullable Listener listener;

    private Sessions(Connector connector, SessionSettings settings, SessionSlot first) {
        this.connector = connector;
        this.settings = settings;
        this.first = first;
        this.longest = first.timeout().toMillis();
        all.put(longest, CompletableFuture.completedFuture(first));
        if (longest > settings.longest().toMillis()) {
            minimum = longest;
        }
    }

    /** Opens the first session and creates the nodes above all names. Blocks. */
    public static Sessions open(Connector connector, SessionSettings settings) {
        SessionSlot first = SessionSlot.open(
                connector, settings, settings.longest(), settings.ioTimeout().multipliedBy(5));
        return new Sessions(connector, settings, first);
    }

    /** Whether the sessions are the store's own. */
    public boolean owns() {
        return connector.owns();
    }

    /** The timeout of the first session, as it was negotiated. */
    public Duration longest() {
        return Duration.ofMillis(longest);
    }

    /** Starts the first session. */
    public void attach(StoreContext value, Session.Listener events) {
        synchronized (this) {
            context = value;
            listener = events;
        }
        first.attach(value, events);
    }

    /** The open session for leases of this TTL; null if it has to be opened, or has ended. */
    public @Nullable Session ready(Duration ttl) {
        CompletableFuture<SessionSlot> known;
        synchronized (this) {
            known = all.get(key(ttl));
        }
        SessionSlot slot = known == null ? null : ended(known);
        return slot == null ? null : slot.current();
    }

    /** The session for leases of this TTL; opens it if there is none. Fails if there was one and it has ended. */
    public CompletableFuture<Session> of(Duration ttl) {
        CompletableFuture<SessionSlot> chosen;
        long asked;
        StoreContext attached;
        Session.Listener events;
        synchronized (this) {
            attached = context;
            events = listener;
            if (closed || attached == null || events == null) {
                return CompletableFuture.failedFuture(settings.errors().noSession());
            }
            asked = key(ttl);
            CompletableFuture<SessionSlot> known = all.get(asked);
            chosen = known == null ? new CompletableFuture<>() : known;
            if (known == null) {
                all.put(asked, chosen);
            } else {
                asked = 0;
            }
        }
        if (asked > 0) {
            openLater(asked, chosen, attached, events);
        }
        return chosen.thenApply(slot -> {
            Session session = slot.current();
            if (session == null) {
                throw settings.errors().noSession();
            }
            return session;
        });
    }

    /** A session for reading, a connected one if possible; null if there is none. */
    public @Nullable Session any() {
        Session best = first.current();
        if (best != null && best.isConnected()) {
            return best;
        }
        for (SessionSlot slot : opened()) {
            Session session = slot.current();
            if (session != null && (best == null || session.isConnected())) {
                best = session;
            }
        }
        return best;
    }

    /** No session is opened any more. Returns the sessions that are open. */
    public List<Session> close() {
        List<SessionSlot> last;
        synchronized (this) {
            closed = true;
            last = opened();
        }
        List<Session> living = new ArrayList<>();
        for (SessionSlot slot : last) {
            Session session = slot.close();
            if (session != null) {
                living.add(session);
            }
        }
        return living;
    }

    /** Under the monitor: the timeout of the session for this TTL, which may still have to be opened. */
    private long key(Duration ttl) {
        long millis = ttl.toMillis();
        long whole = Math.max(SECOND, millis - millis % SECOND);
        if (!connector.owns() || whole >= longest) {
            return longest;
        }
        if (whole <= minimum) {
            return minimum;
        }
        int others = all.size() - (all.containsKey(minimum) ? 1 : 0);
        if (all.containsKey(whole) || others < MOST - 1) {
            return whole;
        }
        Long below = all.floorKey(whole);
        return below != null ? below : SECOND;
    }

    private void openLater(
            long asked, CompletableFuture<SessionSlot> opening, StoreContext attached, Session.Listener events) {
        try {
            attached.executor().execute(() -> open(asked, opening, attached, events));
        } catch (Throwable rejected) { // L13: the next request for this TTL tries again
            failed(asked, opening, rejected);
        }
    }

    private void open(
            long asked, CompletableFuture<SessionSlot> opening, StoreContext attached, Session.Listener events) {
        try {
            SessionSlot slot = SessionSlot.open(connector, settings, Duration.ofMillis(asked), settings.ioTimeout());
            slot.attach(attached, events);
            CompletableFuture<SessionSlot> twin =
                    settle(asked, opening, slot.timeout().toMillis());
            if (twin == opening) {
                opening.complete(slot);
                return;
            }
            Session unused = slot.close();
            if (unused != null) {
                unused.close(false);
            }
            if (twin == null) {
                throw settings.errors().noSession();
            }
            twin.whenComplete((same, failure) -> {
                if (same != null) {
                    opening.complete(same);
                } else {
                    opening.completeExceptionally(
                            failure == null ? settings.errors().noSession() : failure);
                }
            });
        } catch (Throwable failure) { // L13
            failed(asked, opening, failure);
        }
    }

    /** Stores a session under its negotiated timeout; returns the session stored there before, or null if closed. */
    private synchronized @Nullable CompletableFuture<SessionSlot> settle(
            long asked, CompletableFuture<SessionSlot> opening, long negotiated) {
        if (closed) {
            return null;
        }
        if (negotiated > asked) {
            minimum = negotiated;
        }
        if (negotiated != asked) {
            all.remove(asked, opening);
        }
        CompletableFuture<SessionSlot> there = all.putIfAbsent(negotiated, opening);
        return there == null ? opening : there;
    }

    private void failed(long asked, CompletableFuture<SessionSlot> opening, Throwable why) {
        synchronized (this) {
            all.remove(asked, opening);
        }
        opening.completeExceptionally(
                why instanceof StoreUnavailableException
                        ? why
                        : new StoreUnavailableException(
                                "store " + settings.errors().location() + ": no session could be opened", false, why));
    }

    private synchronized List<SessionSlot> opened() {
        List<SessionSlot> slots = new ArrayList<>(all.size());
        for (Map.Entry<Long, CompletableFuture<SessionSlot>> each : all.entrySet()) {
            SessionSlot slot = ended(each.getValue());
            if (slot != null) {
                slots.add(slot);
            }
        }
        return slots;
    }

    private static @Nullable SessionSlot ended(CompletableFuture<SessionSlot> opening) {
        return opening.isDone() && !opening.isCompletedExceptionally() ? opening.join() : null;
    }
}
