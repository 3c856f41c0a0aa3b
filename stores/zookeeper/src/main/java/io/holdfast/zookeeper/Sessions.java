package io.holdfast.zookeeper;

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
 * The store's sessions, one per TTL. A dead process's nodes end with their session, so a session is no longer than the
 * leases that it carries (L15).
 *
 * <p>The first session, which is the longest, is opened with the store; another one when a shorter TTL is first asked for.
 * A session costs two threads and a connection, so there are {@value #MOST} at most (L22):
 *
 * <ul>
 *   <li>I1: the session for a TTL is no longer than the TTL, in whole seconds, or it is the server's minimum, or a second.
 *   <li>I2: a TTL that comes when there are enough takes the longest session that is not above it. The last place is kept
 *       for the server's minimum, so there always is one.
 *   <li>I3: a session is closed with the store and never before: no claim is on a session that is being closed.
 * </ul>
 *
 * <p>The servers' tick is not told to clients. The minimum is learned from the first session that is longer than was asked
 * for. Thread-safe; the monitor is a leaf.
 */
final class Sessions {
    static final int MOST = 8;

    /** In milliseconds. The shortest that is asked for, too: ZooKeeper's client has no longer than that to connect. */
    private static final long SECOND = 1000;

    private final Connector connector;
    private final ZooKeeperConfig config;
    private final String location;
    private final SessionHolder first;
    private final long longest;

    /** By timeout in milliseconds: the one asked for, until it is negotiated. */
    private final TreeMap<Long, CompletableFuture<SessionHolder>> all = new TreeMap<>();

    private long minimum;
    private boolean closed;
    private @Nullable StoreContext context;
    private Session.@Nullable Listener listener;

    private Sessions(Connector connector, ZooKeeperConfig config, String location, SessionHolder first) {
        this.connector = connector;
        this.config = config;
        this.location = location;
        this.first = first;
        this.longest = first.timeout().toMillis();
        all.put(longest, CompletableFuture.completedFuture(first));
        if (longest > config.session().toMillis()) {
            minimum = longest;
        }
    }

    /** Opens the first session and sees that the nodes above all names are there. */
    static Sessions open(Connector connector, ZooKeeperConfig config, String location) {
        SessionHolder first = SessionHolder.open(
                connector,
                config,
                location,
                config.session(),
                config.ioTimeout().multipliedBy(5));
        return new Sessions(connector, config, location, first);
    }

    boolean owns() {
        return connector.owns();
    }

    /** The timeout of the first session, as it was negotiated. */
    Duration longest() {
        return Duration.ofMillis(longest);
    }

    void attach(StoreContext value, Session.Listener heard) {
        synchronized (this) {
            context = value;
            listener = heard;
        }
        first.attach(value, heard);
    }

    /** The session for leases of this TTL if there is one that lives; null if it has to be opened, or has ended. */
    @Nullable
    Session ready(Duration ttl) {
        CompletableFuture<SessionHolder> known;
        synchronized (this) {
            known = all.get(key(ttl));
        }
        SessionHolder holder = known == null ? null : ended(known);
        return holder == null ? null : holder.current();
    }

    /** The session for leases of this TTL; opens it if there is none. Fails if the one that there was has ended. */
    CompletableFuture<Session> of(Duration ttl) {
        CompletableFuture<SessionHolder> chosen;
        long asked;
        StoreContext with;
        Session.Listener heard;
        synchronized (this) {
            with = context;
            heard = listener;
            if (closed || with == null || heard == null) {
                return CompletableFuture.failedFuture(none());
            }
            asked = key(ttl);
            CompletableFuture<SessionHolder> known = all.get(asked);
            chosen = known == null ? new CompletableFuture<>() : known;
            if (known == null) {
                all.put(asked, chosen);
            } else {
                asked = 0;
            }
        }
        if (asked > 0) {
            openLater(asked, chosen, with, heard);
        }
        return chosen.thenApply(holder -> {
            Session session = holder.current();
            if (session == null) {
                throw none();
            }
            return session;
        });
    }

    /** A session to look through: one that is connected, if there is one. */
    @Nullable
    Session any() {
        Session best = first.current();
        if (best != null && best.isConnected()) {
            return best;
        }
        for (SessionHolder holder : opened()) {
            Session session = holder.current();
            if (session != null && (best == null || session.isConnected())) {
                best = session;
            }
        }
        return best;
    }

    /** No session is opened any more. Returns those that live. */
    List<Session> close() {
        List<SessionHolder> last;
        synchronized (this) {
            closed = true;
            last = opened();
        }
        List<Session> living = new ArrayList<>();
        for (SessionHolder holder : last) {
            Session session = holder.close();
            if (session != null) {
                living.add(session);
            }
        }
        return living;
    }

    /** Under the monitor: which session a TTL takes, or would take if there were more than there are. */
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
            long asked, CompletableFuture<SessionHolder> slot, StoreContext with, Session.Listener heard) {
        try {
            with.executor().execute(() -> open(asked, slot, with, heard));
        } catch (Throwable rejected) { // L13: no TTL is left behind without a session for ever
            failed(asked, slot, rejected);
        }
    }

    private void open(long asked, CompletableFuture<SessionHolder> slot, StoreContext with, Session.Listener heard) {
        try {
            SessionHolder holder =
                    SessionHolder.open(connector, config, location, Duration.ofMillis(asked), config.ioTimeout());
            holder.attach(with, heard);
            CompletableFuture<SessionHolder> twin =
                    settle(asked, slot, holder.timeout().toMillis());
            if (twin == slot) {
                slot.complete(holder);
                return;
            }
            Session unused = holder.close();
            if (unused != null) {
                unused.close(false);
            }
            if (twin == null) {
                throw none();
            }
            twin.whenComplete((same, failure) -> {
                if (same != null) {
                    slot.complete(same);
                } else {
                    slot.completeExceptionally(failure == null ? none() : failure);
                }
            });
        } catch (Throwable failure) { // L13
            failed(asked, slot, failure);
        }
    }

    /** Files a session under its negotiated timeout; the one that is there already if there is, null if it is too late. */
    private synchronized @Nullable CompletableFuture<SessionHolder> settle(
            long asked, CompletableFuture<SessionHolder> slot, long negotiated) {
        if (closed) {
            return null;
        }
        if (negotiated > asked) {
            minimum = negotiated;
        }
        if (negotiated != asked) {
            all.remove(asked, slot);
        }
        CompletableFuture<SessionHolder> there = all.putIfAbsent(negotiated, slot);
        return there == null ? slot : there;
    }

    private void failed(long asked, CompletableFuture<SessionHolder> slot, Throwable why) {
        synchronized (this) {
            all.remove(asked, slot);
        }
        slot.completeExceptionally(
                why instanceof StoreUnavailableException
                        ? why
                        : new StoreUnavailableException(
                                "store " + location + ": no session could be opened", false, why));
    }

    private synchronized List<SessionHolder> opened() {
        List<SessionHolder> holders = new ArrayList<>(all.size());
        for (Map.Entry<Long, CompletableFuture<SessionHolder>> each : all.entrySet()) {
            SessionHolder holder = ended(each.getValue());
            if (holder != null) {
                holders.add(holder);
            }
        }
        return holders;
    }

    private static @Nullable SessionHolder ended(CompletableFuture<SessionHolder> opening) {
        return opening.isDone() && !opening.isCompletedExceptionally() ? opening.join() : null;
    }

    private StoreUnavailableException none() {
        return new StoreUnavailableException("store " + location + " has no session at the moment", false, null);
    }
}
