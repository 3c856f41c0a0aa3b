package io.holdfast.tck.mutant;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.LossReason;
import io.holdfast.Mode;
import io.holdfast.Revocation;
import io.holdfast.Sequencer;
import io.holdfast.fence.Marks;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.Queued;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.Term;
import io.holdfast.tck.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The server of a second, simple implementation of the contract, on virtual time. Each of its decisions is a method of
 * its own (below "decisions"), so that a mutant overrides one of them. memory's LockTable has no such methods.
 */
class PlainServer {
    /** How long a store keeps the note that a client waits. */
    private static final Duration NOTE_LIFE = Duration.ofSeconds(2);

    /** A grant, in force or in lock-delay. */
    static final class Grant {
        final Claim claim;
        final long token;
        final int span;
        long expires;
        boolean revoked;

        Grant(Claim claim, long token, int span, long expires) {
            this.claim = claim;
            this.token = token;
            this.span = span;
            this.expires = expires;
        }
    }

    /** A client that waits. */
    static final class Note {
        final String clientId;
        final Duration pause;
        final long taken;

        Note(String clientId, Duration pause, long taken) {
            this.clientId = clientId;
            this.pause = pause;
            this.taken = taken;
        }
    }

    final VirtualTime time;
    final Map<String, List<Grant>> grants = new TreeMap<>(PlainServer::byBytes);
    final Map<String, List<PlainTicket>> queues = new TreeMap<>();
    final Map<String, Long> lastTokens = new HashMap<>();
    final Map<String, List<Note>> notes = new HashMap<>();
    private final Map<HolderId, Long> tombstones = new HashMap<>();
    private final Map<HolderId, Boolean> revoked = new HashMap<>();
    private final Map<String, Marks> marks = new HashMap<>();
    private final Map<String, String> guardedBy = new HashMap<>();

    PlainServer(VirtualTime time) {
        this.time = time;
    }

    // decisions

    String key(String name) {
        return name;
    }

    boolean mayRelease(Grant grant, Claim claim) {
        return grant.claim.holder().equals(claim.holder());
    }

    boolean mayRenew(Grant grant, Claim claim) {
        return grant.claim.holder().equals(claim.holder()) && inForce(grant) && !grant.revoked;
    }

    boolean isRepeat(Grant grant, Claim claim) {
        return grant.claim.holder().equals(claim.holder());
    }

    boolean inForce(Grant grant) {
        return grant.expires > time.nanos();
    }

    boolean over(Grant grant) {
        return grant.expires + delay(grant.claim) <= time.nanos();
    }

    long delay(Claim claim) {
        return claim.lockDelay().toNanos();
    }

    boolean alive(PlainTicket ticket) {
        return ticket.deadline > time.nanos();
    }

    boolean waitersComeFirst(Claim newcomer) {
        return true;
    }

    boolean hasRoom(List<Grant> held, Claim claim) {
        boolean compatible = held.stream().allMatch(grant -> inForce(grant) && grant.claim.mode() == claim.mode());
        return switch (claim.mode()) {
            case EXCLUSIVE -> held.isEmpty();
            case SHARED -> compatible;
            case PERMIT -> compatible && held.size() < claim.permits();
        };
    }

    long first(String name, long last) {
        return Math.max((last == 0 ? time.wallMicros() + 200_000 : last) + 1, time.wallMicros());
    }

    int span(Claim claim, long last) {
        return last == 0 || last - time.wallMicros() > 100_000 ? 1 : claim.span();
    }

    long lastOf(long first, int span) {
        return first + span - 1;
    }

    void bury(HolderId holder) {
        tombstones.put(holder, time.nanos() + Duration.ofSeconds(10).toNanos());
    }

    boolean buryAfterRelease() {
        return true;
    }

    boolean admits(Marks seen, Sequencer sequencer) {
        return seen.admits(sequencer.mode(), sequencer.token());
    }

    boolean sameLock(String guardian, Sequencer sequencer) {
        return guardian.equals(sequencer.lockName());
    }

    void take(String name, Note note) {
        notes(name).removeIf(old -> old.clientId.equals(note.clientId));
        notes(name).add(note);
    }

    boolean counts(Note note, Claim released) {
        return time.nanos() - note.taken < NOTE_LIFE.toNanos() && !note.clientId.equals(released.clientId());
    }

    Duration standBack(String name, Claim released) {
        return notes(name).stream()
                .filter(note -> counts(note, released))
                .map(note -> note.pause)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    void look(String name) {}

    void beforeTheLock(Claim claim) {}

    void refused(List<Grant> held, Claim claim) {}

    void becameFree(String name) {}

    void wakeAt(String name, long at) {
        if (at > time.nanos()) {
            time.schedule(() -> advance(name), at - time.nanos());
        }
    }

    void handOver(List<PlainTicket> queue, String name) {
        PlainTicket first = queue.remove(0);
        first.grant(granted(grant(name, first.claim)));
    }

    // verbs

    synchronized AcquireResult acquire(Claim claim) {
        String name = key(claim.lockName());
        Refused refused = new Refused(null, null, false, null);
        if (tombstones.getOrDefault(claim.holder(), 0L) > time.nanos()) {
            return refused;
        }
        advance(name);
        List<Grant> held = held(name);
        for (Grant grant : held) {
            if (isRepeat(grant, claim)) {
                return inForce(grant) ? granted(grant) : refused;
            }
        }
        boolean waiters = waitersComeFirst(claim) && queue(name).stream().anyMatch(this::alive);
        if (!waiters && hasRoom(held, claim)) {
            return granted(grant(name, claim));
        }
        refused(held, claim);
        if (!claim.pause().isZero()) {
            take(name, new Note(claim.clientId(), claim.pause(), time.nanos()));
        }
        return obstacle(name);
    }

    synchronized EnqueueResult enqueue(PlainStore store, Claim claim, Duration wait) {
        String name = key(claim.lockName());
        if (acquire(claim) instanceof Granted granted) {
            return granted;
        }
        for (PlainTicket ticket : queue(name)) {
            if (ticket.claim.holder().equals(claim.holder())) {
                return new Queued(ticket, obstacle(name));
            }
        }
        PlainTicket ticket = new PlainTicket(this, store, claim, time.nanos() + wait.toNanos());
        if (tombstones.getOrDefault(claim.holder(), 0L) <= time.nanos()) {
            queue(name).add(ticket);
            held(name).forEach(grant -> wakeAt(name, grant.expires + delay(grant.claim)));
            wakeAt(name, ticket.deadline);
        }
        return new Queued(ticket, obstacle(name));
    }

    synchronized Exchanged exchange(PlainStore store, Claim held, Claim next, Duration wait) {
        ReleaseResult released = release(held);
        return new Exchanged(released, enqueue(store, next, wait));
    }

    synchronized RenewResult renew(Claim claim) {
        String name = key(claim.lockName());
        for (Grant grant : held(name)) {
            if (mayRenew(grant, claim)) {
                grant.expires = time.nanos() + grant.claim.ttl().toNanos();
                return new RenewResult.Renewed(
                        new Term(time.nanos(), grant.claim.ttl().toNanos()));
            }
        }
        boolean wasRevoked = revoked.containsKey(claim.holder())
                || held(name).stream()
                        .anyMatch(grant -> grant.revoked && grant.claim.holder().equals(claim.holder()));
        return new RenewResult.Lost(wasRevoked ? LossReason.REVOKED : LossReason.GONE);
    }

    synchronized ReleaseResult release(Claim claim) {
        String name = key(claim.lockName());
        advance(name);
        boolean found = held(name).removeIf(grant -> mayRelease(grant, claim));
        queue(name).removeIf(ticket -> ticket.claim.holder().equals(claim.holder()));
        if (!found || buryAfterRelease()) {
            bury(claim.holder());
        }
        advance(name);
        if (held(name).isEmpty()) {
            becameFree(name);
        }
        return found ? new ReleaseResult.Released(standBack(name, claim)) : new ReleaseResult.NotHeld(holder(name));
    }

    synchronized ReleaseResult cancel(PlainTicket ticket) {
        return release(ticket.claim);
    }

    synchronized RevokeResult revoke(String lockName, Revocation how) {
        String name = key(lockName);
        advance(name);
        List<Grant> held = held(name);
        if (held.isEmpty()) {
            return new RevokeResult.NotHeld();
        }
        if (how == Revocation.AT_LEASE_END) {
            held.forEach(grant -> grant.revoked = true);
            return new RevokeResult.Revoked(closedFor(held));
        }
        held.forEach(grant -> {
            bury(grant.claim.holder());
            revoked.put(grant.claim.holder(), true);
        });
        held.clear();
        advance(name);
        return new RevokeResult.Revoked(Duration.ZERO);
    }

    synchronized List<LockStatus> inspect(LockQuery query) {
        if (!query.prefix()) {
            String name = key(query.text());
            return lastTokens.containsKey(name) ? List.of(status(name, query.text())) : List.of();
        }
        return grants.keySet().stream()
                .filter(name -> beginsWith(name, query.text()))
                .map(name -> status(name, name))
                .filter(status -> status.held()
                        || status.waiting() > 0
                        || !status.lockDelay().isZero())
                .limit(query.limit())
                .toList();
    }

    synchronized MarkResult admit(String resource, Sequencer sequencer) {
        String guardian = guardedBy.getOrDefault(resource, sequencer.lockName());
        if (!sameLock(guardian, sequencer)) {
            return new MarkResult.OtherLock(guardian);
        }
        Marks seen = marks.getOrDefault(resource, Marks.NONE);
        if (!admits(seen, sequencer)) {
            return new MarkResult.Stale(seen.against(sequencer.mode()));
        }
        guardedBy.put(resource, guardian);
        marks.put(resource, seen.with(sequencer.mode(), sequencer.token()));
        return new MarkResult.Admitted();
    }

    final synchronized void forgetMarks() {
        marks.clear();
    }

    synchronized void leave(PlainStore store) {
        queues.values().forEach(queue -> queue.removeIf(ticket -> ticket.store == store));
        List.copyOf(queues.keySet()).forEach(this::advance);
    }

    synchronized void loseData() {
        grants.clear();
        queues.clear();
        lastTokens.clear();
        tombstones.clear();
    }

    boolean beginsWith(String name, String prefix) {
        return name.startsWith(prefix);
    }

    synchronized void advance(String name) {
        List<Grant> held = held(name);
        held.removeIf(grant -> {
            if (over(grant)) {
                bury(grant.claim.holder());
            }
            return over(grant);
        });
        List<PlainTicket> queue = queue(name);
        queue.removeIf(ticket -> !alive(ticket));
        while (!queue.isEmpty() && hasRoom(held, queue.get(0).claim)) {
            handOver(queue, name);
        }
        if (!queue.isEmpty()) {
            held.forEach(grant -> wakeAt(name, grant.expires + delay(grant.claim)));
        }
    }

    final Grant grant(String name, Claim claim) {
        long last = lastTokens.getOrDefault(name, 0L);
        int span = span(claim, last);
        long first = first(name, last);
        lastTokens.put(name, lastOf(first, span));
        Grant grant = new Grant(claim, first, span, time.nanos() + claim.ttl().toNanos());
        held(name).add(grant);
        return grant;
    }

    final Granted granted(Grant grant) {
        return new Granted(grant.token, grant.span, new Term(time.nanos(), grant.expires - time.nanos()));
    }

    final List<Grant> held(String name) {
        return grants.computeIfAbsent(name, key -> new ArrayList<>());
    }

    final List<Note> notes(String name) {
        return notes.computeIfAbsent(name, key -> new ArrayList<>());
    }

    final List<PlainTicket> queue(String name) {
        return queues.computeIfAbsent(name, key -> new ArrayList<>());
    }

    private Refused obstacle(String name) {
        Duration closed = closedFor(held(name));
        Holder holder = holder(name);
        return new Refused(holder, closed, holder == null && !closed.isZero(), null);
    }

    private @Nullable Holder holder(String name) {
        return held(name).stream()
                .filter(this::inForce)
                .findFirst()
                .map(this::holder)
                .orElse(null);
    }

    private Holder holder(Grant grant) {
        Claim claim = grant.claim;
        Duration left = Duration.ofNanos(grant.expires - time.nanos());
        return new Holder(claim.clientId(), claim.label(), claim.mode(), grant.token, grant.span, claim.ttl(), left);
    }

    private Duration closedFor(List<Grant> held) {
        return Duration.ofNanos(held.stream()
                .mapToLong(grant -> grant.expires + delay(grant.claim) - time.nanos())
                .max()
                .orElse(0));
    }

    private LockStatus status(String name, String shown) {
        List<Grant> held = held(name).stream().filter(grant -> !over(grant)).toList();
        List<Holder> holders =
                held.stream().filter(this::inForce).map(this::holder).toList();
        long last = lastTokens.getOrDefault(name, 0L);
        return new LockStatus(
                shown,
                holders,
                (int) queue(name).stream().filter(this::alive).count(),
                closedFor(held.stream().filter(grant -> !inForce(grant)).toList()),
                held.stream().anyMatch(grant -> grant.revoked),
                last,
                Duration.ofNanos(Math.max(0, last - time.wallMicros()) * 1000));
    }

    static boolean isShared(Claim claim) {
        return claim.mode() == Mode.SHARED;
    }

    private static int byBytes(String a, String b) {
        return Comparator.<String, byte[]>comparing(
                        text -> text.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned)
                .compare(a, b);
    }
}
