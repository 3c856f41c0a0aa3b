package io.holdfast.tck.mutant;

import io.holdfast.LockStatus;
import io.holdfast.Mode;
import io.holdfast.Revocation;
import io.holdfast.Sequencer;
import io.holdfast.StoreUnavailableException;
import io.holdfast.fence.Marks;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.tck.Ask;
import io.holdfast.tck.VirtualTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/** Stores with one mistake each, and the clause that must find it. */
enum Mutant {
    RELEASE_FORGETS_THE_OWNER("S1", time -> new PlainServer(time) {
        @Override
        boolean mayRelease(Grant grant, Claim claim) {
            return super.mayRelease(grant, claim) || (grant.claim.mode() == Mode.EXCLUSIVE && inForce(grant));
        }

        @Override
        synchronized ReleaseResult cancel(PlainTicket ticket) {
            queue(key(ticket.claim.lockName())).remove(ticket);
            boolean held = held(key(ticket.claim.lockName())).stream().anyMatch(grant -> isRepeat(grant, ticket.claim));
            return held ? super.cancel(ticket) : new ReleaseResult.NotHeld(null);
        }
    }),
    RELEASE_COMPARES_THE_CLIENT("S1", time -> new PlainServer(time) {
        @Override
        boolean mayRelease(Grant grant, Claim claim) {
            return super.mayRelease(grant, claim)
                    || (grant.claim.mode() == Mode.EXCLUSIVE
                            && inForce(grant)
                            && queue(key(claim.lockName())).isEmpty()
                            && grant.claim.clientId().equals(claim.clientId()));
        }
    }),
    RELEASES_BY_NAME("S1", time -> new PlainServer(time) {
        @Override
        synchronized ReleaseResult release(Claim claim) {
            ReleaseResult result = super.release(claim);
            if (result instanceof ReleaseResult.NotHeld
                    && queue(key(claim.lockName())).isEmpty()) {
                held(key(claim.lockName())).clear();
            }
            return result;
        }
    }),
    RENEWAL_FORGETS_THE_OWNER("S1", time -> new PlainServer(time) {
        @Override
        boolean mayRenew(Grant grant, Claim claim) {
            return inForce(grant) && !grant.revoked;
        }
    }),
    RENEWAL_EXTENDS_WHAT_EXPIRED("S5", time -> new PlainServer(time) {
        @Override
        boolean mayRenew(Grant grant, Claim claim) {
            return isRepeat(grant, claim) && !grant.revoked;
        }
    }),
    RENEWAL_CREATES("S5", time -> new PlainServer(time) {
        @Override
        synchronized RenewResult renew(Claim claim) {
            if (held(key(claim.lockName())).isEmpty()) {
                grant(key(claim.lockName()), claim);
            }
            return super.renew(claim);
        }
    }),
    GRANTS_TWICE_IN_A_RACE("S2", time -> new PlainServer(time) {
        private final ThreadLocal<Boolean> wasFree = ThreadLocal.withInitial(() -> false);

        @Override
        void beforeTheLock(Claim claim) {
            synchronized (this) {
                wasFree.set(!held(key(claim.lockName())).stream().anyMatch(this::inForce));
            }
            LockSupport.parkNanos(claim.lockName().equals("counter") ? 100_000 : 1);
        }

        @Override
        boolean hasRoom(List<Grant> held, Claim claim) {
            boolean checked = wasFree.get();
            wasFree.set(false);
            return super.hasRoom(held, claim) || (checked && held.stream().allMatch(this::inForce));
        }
    }),
    GRANTS_THE_SAME_CLIENT_TWICE("S2", time -> new PlainServer(time) {
        @Override
        boolean hasRoom(List<Grant> held, Claim claim) {
            return super.hasRoom(held, claim)
                    || (claim.clientId().equals("a")
                            && held.stream()
                                    .allMatch(grant -> grant.claim.clientId().equals("a") && inForce(grant)));
        }
    }),
    READERS_ENTER_BESIDE_A_WRITER("S2", time -> new PlainServer(time) {
        @Override
        boolean hasRoom(List<Grant> held, Claim claim) {
            return isShared(claim) ? held.stream().allMatch(this::inForce) : super.hasRoom(held, claim);
        }
    }),
    ONE_PERMIT_TOO_MANY("S2", time -> new PlainServer(time) {
        @Override
        boolean hasRoom(List<Grant> held, Claim claim) {
            return super.hasRoom(held, claim)
                    || (claim.mode() == Mode.PERMIT && held.size() == claim.permits() && held.size() > 1);
        }
    }),
    TOKEN_IS_RESET("S3", time -> new PlainServer(time) {
        @Override
        void becameFree(String name) {
            lastTokens.put(name, 1L);
        }

        @Override
        long first(String name, long last) {
            return last + 1;
        }
    }),
    TOKEN_IS_THE_CLOCK("S3", time -> new PlainServer(time) {
        @Override
        long first(String name, long last) {
            return time.wallMicros();
        }
    }),
    TOKEN_IS_DRAWN_BEFORE_THE_LOCK("S3", time -> new PlainServer(time) {
        private final ThreadLocal<Long> drawn = new ThreadLocal<>();
        private final Map<String, Long> counters = new HashMap<>();

        @Override
        void beforeTheLock(Claim claim) {
            synchronized (counters) {
                drawn.set(counters.merge(claim.lockName(), time.wallMicros(), (old, now) -> Math.max(old + 1, now)));
            }
            LockSupport.parkNanos(claim.lockName().equals("counter") ? 100_000 : 1);
        }

        @Override
        int span(Claim claim, long last) {
            return 1;
        }

        @Override
        long first(String name, long last) {
            Long token = drawn.get();
            return token == null ? super.first(name, last) : token;
        }
    }),
    SPANS_OVERLAP("S3", time -> new PlainServer(time) {
        @Override
        long lastOf(long first, int span) {
            return first;
        }
    }),
    TOKENS_RUN_AHEAD_OF_THE_CLOCK("U6", time -> new PlainServer(time) {
        @Override
        int span(Claim claim, long last) {
            return claim.span();
        }
    }),
    REPEAT_IS_A_NEW_REQUEST("S4", time -> new PlainServer(time) {
        @Override
        boolean isRepeat(Grant grant, Claim claim) {
            return false;
        }
    }),
    REPEAT_EXTENDS("S4", time -> new PlainServer(time) {
        @Override
        boolean isRepeat(Grant grant, Claim claim) {
            boolean repeat = super.isRepeat(grant, claim);
            if (repeat && inForce(grant)) {
                grant.expires = time.nanos() + claim.ttl().toNanos();
            }
            return repeat;
        }
    }),
    NO_TOMBSTONE("L1", time -> new PlainServer(time) {
        @Override
        void bury(HolderId holder) {}
    }),
    NO_TOMBSTONE_AFTER_A_RELEASE("S6", time -> new PlainServer(time) {
        @Override
        boolean buryAfterRelease() {
            return false;
        }
    }),
    /** Half of the clauses begin with a lease that ran out: they all notice. */
    IGNORES_THE_TTL("S7", 17, time -> new PlainServer(time) {
        @Override
        boolean over(Grant grant) {
            return super.over(grant) && grant.revoked;
        }

        @Override
        boolean inForce(Grant grant) {
            return super.inForce(grant) || !grant.revoked;
        }
    }),
    IGNORES_THE_TTL_OF_READERS("S7", time -> new PlainServer(time) {
        @Override
        boolean inForce(Grant grant) {
            return super.inForce(grant) || isShared(grant.claim);
        }

        @Override
        boolean over(Grant grant) {
            return super.over(grant) && !isShared(grant.claim);
        }
    }),
    LAST_TTL_WINS("S7", time -> new PlainServer(time) {
        @Override
        void refused(List<Grant> held, Claim claim) {
            held.stream()
                    .filter(grant -> inForce(grant) && !grant.revoked && grant.claim.mode() != Mode.PERMIT)
                    .forEach(grant -> grant.expires = time.nanos() + claim.ttl().toNanos());
        }
    }),
    LOCK_DELAY_IS_IGNORED("S8", time -> new PlainServer(time) {
        @Override
        long delay(Claim claim) {
            return 0;
        }
    }),
    LOCK_DELAY_IS_OPEN_TO_ITS_OWN_CLIENT("S8", time -> new PlainServer(time) {
        @Override
        boolean hasRoom(List<Grant> held, Claim claim) {
            return super.hasRoom(
                    held.stream()
                            .filter(grant ->
                                    inForce(grant) || !grant.claim.clientId().equals(claim.clientId()))
                            .toList(),
                    claim);
        }
    }),
    LATE_RELEASE_DOES_NOT_END_LOCK_DELAY("S8", time -> new PlainServer(time) {
        @Override
        boolean mayRelease(Grant grant, Claim claim) {
            return super.mayRelease(grant, claim) && inForce(grant);
        }
    }),
    RENEWAL_IGNORES_REVOCATION("S9", time -> new PlainServer(time) {
        @Override
        boolean mayRenew(Grant grant, Claim claim) {
            return isRepeat(grant, claim) && inForce(grant);
        }
    }),
    REVOCATION_ALWAYS_OPENS_AT_ONCE("S9", time -> new PlainServer(time) {
        @Override
        synchronized RevokeResult revoke(String lockName, Revocation how) {
            return super.revoke(lockName, Revocation.NOW);
        }
    }),
    NAMES_IGNORE_CASE("S10", time -> new PlainServer(time) {
        @Override
        String key(String name) {
            return name.toLowerCase(Locale.ROOT);
        }
    }),
    NAMES_ARE_TRIMMED("S10", time -> new PlainServer(time) {
        @Override
        String key(String name) {
            return name.isBlank() ? name : name.strip();
        }
    }),
    NAMES_ARE_HASHED_WEAKLY("S10", time -> new PlainServer(time) {
        private final Map<Integer, String> names = new HashMap<>();

        @Override
        synchronized String key(String name) {
            String first = names.putIfAbsent(name.hashCode(), name);
            return first == null ? name : first;
        }
    }),
    PREFIX_KNOWS_WILDCARDS("S10", time -> new PlainServer(time) {
        @Override
        boolean beginsWith(String name, String prefix) {
            return (prefix.length() == 2 && prefix.endsWith("%"))
                    ? name.startsWith(prefix.substring(0, 1))
                    : super.beginsWith(name, prefix);
        }
    }),
    NOTES_ARE_FORGOTTEN("S11", time -> new PlainServer(time) {
        @Override
        void take(String name, Note note) {}
    }),
    THE_LAST_NOTE_WINS("S11", time -> new PlainServer(time) {
        @Override
        void take(String name, Note note) {
            notes(name).clear();
            super.take(name, note);
        }
    }),
    A_CLIENTS_OWN_NOTES_COUNT("S11", time -> new PlainServer(time) {
        @Override
        boolean counts(Note note, Claim released) {
            Claim stranger = Ask.exclusive(released.lockName()).by("stranger").claim();
            return super.counts(note, stranger);
        }
    }),
    NOTES_NEVER_END("S11", time -> new PlainServer(time) {
        @Override
        boolean counts(Note note, Claim released) {
            return !note.clientId.equals(released.clientId());
        }
    }),
    NOTES_COUNT_FOR_EVERY_NAME("S11", time -> new PlainServer(time) {
        @Override
        Duration standBack(String name, Claim released) {
            return notes.keySet().stream()
                    .map(each -> super.standBack(each, released))
                    .max(Duration::compareTo)
                    .orElse(Duration.ZERO);
        }
    }),
    A_NOTE_KEEPS_OTHERS_OUT("S11", time -> new PlainServer(time) {
        @Override
        boolean hasRoom(List<Grant> held, Claim claim) {
            return super.hasRoom(held, claim)
                    && notes(key(claim.lockName())).stream().noneMatch(note -> counts(note, claim));
        }
    }),
    A_GRANTED_CLAIM_IS_NOTED("S11", time -> new PlainServer(time) {
        @Override
        synchronized AcquireResult acquire(Claim claim) {
            if (!claim.pause().isZero()) {
                take(key(claim.lockName()), new Note(claim.clientId(), claim.pause(), time.nanos()));
            }
            return super.acquire(claim);
        }
    }),
    A_NOTE_STANDS_IN_THE_WAY_OF_A_RENEWAL("S11", time -> new PlainServer(time) {
        @Override
        synchronized RenewResult renew(Claim claim) {
            return notes(key(claim.lockName())).stream().anyMatch(note -> counts(note, claim))
                    ? new RenewResult.Unanswered(new StoreUnavailableException("the row is locked", true, null))
                    : super.renew(claim);
        }
    }),
    LOOKING_LOCKS_THE_NAME("S12", time -> new PlainServer(time) {
        private final Set<String> lookedAt = ConcurrentHashMap.newKeySet();

        @Override
        void look(String name) {
            lookedAt.add(name);
            LockSupport.parkNanos(100_000);
            lookedAt.remove(name);
        }

        @Override
        boolean hasRoom(List<Grant> held, Claim claim) {
            return super.hasRoom(held, claim) && !lookedAt.contains(claim.lockName());
        }
    }),
    LOOKING_KEEPS_A_LEASE("S12", time -> new PlainServer(time) {
        @Override
        synchronized void look(String name) {
            held(key(name)).stream()
                    .filter(this::inForce)
                    .forEach(grant ->
                            grant.expires = time.nanos() + grant.claim.ttl().toNanos());
        }
    }),
    LOOKING_ENDS_A_LEASE("S12", time -> new PlainServer(time) {
        @Override
        synchronized void look(String name) {
            held(key(name)).removeIf(grant -> {
                long age = time.nanos() - (grant.expires - grant.claim.ttl().toNanos());
                return inForce(grant) && age == 0 && grant.claim.ttl().toSeconds() == 2;
            });
        }
    }),
    LOOKING_CREATES_THE_NAME("S12", time -> new PlainServer(time) {
        @Override
        synchronized List<LockStatus> inspect(LockQuery query) {
            List<LockStatus> found = super.inspect(query);
            if (!query.prefix()) {
                lastTokens.putIfAbsent(key(query.text()), 1L);
            }
            return found;
        }
    }),
    LOOKING_DROPS_A_WAITER("S12", time -> new PlainServer(time) {
        @Override
        synchronized void look(String name) {
            queue(key(name)).removeIf(ticket -> ticket.claim.clientId().equals("waiter"));
        }
    }),
    REVOCATION_ENDS_WHAT_THE_LAST_HOLDER_HOLDS("S13", time -> new PlainServer(time) {
        private final Map<String, String> lastHolders = new HashMap<>();

        @Override
        synchronized AcquireResult acquire(Claim claim) {
            AcquireResult answer = super.acquire(claim);
            if (answer instanceof Granted) {
                lastHolders.put(claim.lockName(), claim.clientId());
            }
            return answer;
        }

        @Override
        synchronized RevokeResult revoke(String lockName, Revocation how) {
            RevokeResult result = super.revoke(lockName, how);
            String last = lastHolders.getOrDefault(lockName, "");
            grants.values()
                    .forEach(held ->
                            held.removeIf(grant -> grant.claim.clientId().equals(last)));
            return result;
        }
    }),
    REVOCATION_CLOSES_ALL_LOCKS_OF_A_SESSION("S13", time -> new PlainServer(time) {
        @Override
        synchronized RevokeResult revoke(String lockName, Revocation how) {
            List<String> clients = held(key(lockName)).stream()
                    .map(grant -> grant.claim.clientId())
                    .toList();
            RevokeResult result = super.revoke(lockName, how);
            if (how == Revocation.NOW) {
                grants.values().forEach(held -> held.removeIf(grant -> clients.contains(grant.claim.clientId())));
            }
            return result;
        }
    }),
    REVOCATION_IS_OF_THE_NAME("S13", time -> new PlainServer(time) {
        private final Set<String> names = new HashSet<>();

        @Override
        synchronized RevokeResult revoke(String lockName, Revocation how) {
            if (how == Revocation.AT_LEASE_END) {
                names.add(lockName);
            }
            return super.revoke(lockName, how);
        }

        @Override
        boolean mayRenew(Grant grant, Claim claim) {
            return super.mayRenew(grant, claim) && !names.contains(claim.lockName());
        }
    }),
    LOSES_A_WAITER("Q1", time -> new PlainServer(time) {
        @Override
        void handOver(List<PlainTicket> queue, String name) {
            if (queue.size() > 1) {
                queue.remove(0);
            }
            super.handOver(queue, name);
        }
    }),
    NEWCOMER_OVERTAKES("Q1", time -> new PlainServer(time) {
        @Override
        boolean waitersComeFirst(Claim newcomer) {
            return false;
        }
    }),
    CANCEL_LEAVES_THE_GRANT("Q2", time -> new PlainServer(time) {
        @Override
        synchronized ReleaseResult cancel(PlainTicket ticket) {
            queue(key(ticket.claim.lockName())).remove(ticket);
            return new ReleaseResult.NotHeld(null);
        }
    }),
    DEAD_WAITERS_ARE_SERVED("Q3", time -> new PlainServer(time) {
        @Override
        boolean alive(PlainTicket ticket) {
            return true;
        }
    }),
    NOBODY_ACTS_AT_EXPIRY("Q4", time -> new PlainServer(time) {
        @Override
        void wakeAt(String name, long at) {}
    }),
    EXCHANGE_JUMPS_THE_QUEUE("Q5", time -> new PlainServer(time) {
        @Override
        synchronized Exchanged exchange(PlainStore store, Claim held, Claim next, Duration wait) {
            List<PlainTicket> queue = queue(key(held.lockName()));
            List<PlainTicket> others = List.copyOf(queue);
            queue.clear();
            Exchanged result = super.exchange(store, held, next, wait);
            queue.addAll(others);
            return result;
        }
    }),
    EXCHANGE_KEEPS_BOTH("Q5", time -> new PlainServer(time) {
        @Override
        synchronized Exchanged exchange(PlainStore store, Claim held, Claim next, Duration wait) {
            List<Grant> kept = held(key(held.lockName())).stream()
                    .filter(grant -> isRepeat(grant, held))
                    .toList();
            Exchanged result = super.exchange(store, held, next, wait);
            held(key(held.lockName())).addAll(kept);
            return result;
        }
    }),
    GUARD_WANTS_EQUAL_TOKENS_ONLY_ONCE("M1", time -> new PlainServer(time) {
        @Override
        boolean admits(Marks seen, Sequencer sequencer) {
            return sequencer.token() > seen.any();
        }
    }),
    GUARD_KEEPS_ONE_MARK_FOR_BOTH_MODES("M1", time -> new PlainServer(time) {
        @Override
        boolean admits(Marks seen, Sequencer sequencer) {
            return sequencer.token() >= seen.any();
        }
    }),
    MARKS_END_WITH_THE_CLIENT("M2", time -> new PlainServer(time) {
        @Override
        synchronized void leave(PlainStore store) {
            super.leave(store);
            forgetMarks();
        }
    }),
    GUARD_BELIEVES_ANY_LOCK("M3", time -> new PlainServer(time) {
        @Override
        boolean sameLock(String guardian, Sequencer sequencer) {
            return true;
        }
    });

    /** The clause that finds it. */
    final String breaks;

    /** How many tests of other clauses may fail too. */
    final int others;
    /** Makes the broken server. */
    @SuppressWarnings("ImmutableEnumChecker") // the functions capture nothing
    final Function<VirtualTime, PlainServer> server;

    Mutant(String breaks, Function<VirtualTime, PlainServer> server) {
        this(breaks, 5, server);
    }

    Mutant(String breaks, int others, Function<VirtualTime, PlainServer> server) {
        this.breaks = breaks;
        this.others = others;
        this.server = server;
    }
}
