package io.holdfast.sim.check;

import io.holdfast.Mode;
import io.holdfast.Revocation;
import io.holdfast.Ticker;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A second, simple account of what the store has granted. It is written from the store's answers, never from its state,
 * and every answer is checked against the rules.
 *
 * <p>Time is the store's monotonic clock. When the store loses its data the ledger starts a new epoch: grants of older
 * epochs are void at the store while their holders may still believe in them, so exclusion is not checked between epochs.
 */
public final class GrantLedger {
    /** One grant. */
    public static final class Entry {
        public final Claim claim;
        public final long token;
        public final int span;
        public final int epoch;
        private final long grantedAt;
        private long expiresAt;
        private boolean released;
        private boolean revoked;
        private boolean excused;

        Entry(Claim claim, Granted granted, int epoch, long grantedAt, long nanos) {
            this.claim = claim;
            this.token = granted.token();
            this.span = granted.span();
            this.epoch = epoch;
            this.grantedAt = grantedAt;
            this.expiresAt = grantedAt + nanos;
        }

        public boolean covers(long other) {
            return other >= token && other - token < span;
        }

        /** Whether another client may hold the lock while this holder believes in its lease. */
        public boolean isExcused() {
            return excused;
        }

        public boolean isReleased() {
            return released;
        }

        public boolean isRevoked() {
            return revoked;
        }

        @Override
        public String toString() {
            return claim.lockName() + "/" + claim.mode() + " " + TraceText.brief(claim.holder()) + " token " + token
                    + "+"
                    + span + " of " + claim.label() + (released ? ", released" : "") + (revoked ? ", revoked" : "")
                    + (excused ? ", excused" : "") + ", epoch " + epoch + ", expires at " + expiresAt;
        }
    }

    /** What is known of one name. */
    private static final class Book {
        final List<Entry> open = new ArrayList<>();
        final List<Entry> all = new ArrayList<>();
        long lastToken;
        int lastEpoch;
        long lastWall;
        boolean tokensExcused;
        long openSince;
    }

    private static final long START_LEAD_MICROS = 200_000;
    private static final long SPAN_LEAD_MICROS = 100_000;

    private final Ticker clock;
    private final Rules rules;
    private final Map<String, Book> books = new LinkedHashMap<>();
    private final Map<HolderId, Entry> byHolder = new HashMap<>();
    private final Map<HolderId, Long> releasedAt = new HashMap<>();
    private final Set<HolderId> everReleased = new HashSet<>();
    private int epoch;
    private long highestWall = Long.MIN_VALUE;

    public GrantLedger(Ticker clock, Rules rules) {
        this.clock = clock;
        this.rules = rules;
    }

    /** The store has granted {@code claim}; {@code nanos} is how long it will keep the grant. */
    public Entry granted(Claim claim, Granted granted, long nanos) {
        Book book = book(claim.lockName());
        Entry known = byHolder.get(claim.holder());
        if (known != null && !known.released && known.epoch == epoch && known.expiresAt > clock.nanos()) {
            rules.require(
                    Rule.P2_TOKENS,
                    known.token == granted.token(),
                    () -> "a repeated request was given another token than " + known);
            return known;
        }
        checkConflicts(book, claim);
        checkTombstone(claim);
        checkToken(book, claim, granted);
        Entry entry = new Entry(claim, granted, epoch, clock.nanos(), nanos);
        book.open.add(entry);
        book.all.add(entry);
        byHolder.put(claim.holder(), entry);
        book.lastToken = Math.max(book.lastToken, granted.token() + granted.span() - 1);
        book.lastEpoch = epoch;
        book.lastWall = Math.max(book.lastWall, clock.wallMicros());
        return entry;
    }

    /** The store has renewed; the grant lasts {@code nanos} from now on. */
    public void renewed(Claim claim, long nanos) {
        Entry entry = byHolder.get(claim.holder());
        rules.require(
                Rule.U10_RENEW,
                entry != null
                        && !entry.released
                        && !entry.revoked
                        && entry.epoch == epoch
                        && entry.expiresAt > clock.nanos(),
                () -> "the store renewed " + TraceText.brief(claim.holder()) + ", but: " + entry);
        if (entry != null) {
            entry.expiresAt = Math.max(entry.expiresAt, clock.nanos() + nanos);
        }
    }

    /** The store has executed a release (or cancel, or the release half of an exchange). */
    public void released(Claim claim, boolean found) {
        Entry entry = byHolder.get(claim.holder());
        if (found) {
            rules.require(
                    Rule.S1_OWNER,
                    entry != null && !entry.released && entry.epoch == epoch,
                    () -> "the store released " + TraceText.brief(claim.holder()) + ", but: " + entry);
        }
        releasedAt.put(claim.holder(), clock.nanos());
        everReleased.add(claim.holder());
        if (entry != null && entry.epoch == epoch) {
            entry.released = true;
            sweep(book(claim.lockName()));
        }
    }

    public void revoked(String name, Revocation how) {
        Book book = book(name);
        for (Entry entry : book.open) {
            entry.revoked = true;
            if (how == Revocation.NOW) {
                entry.excused = true;
                entry.released = true;
            }
        }
        sweep(book);
    }

    public void lostData() {
        epoch++;
        releasedAt.clear();
        for (Book book : books.values()) {
            for (Entry entry : book.open) {
                entry.excused = true;
            }
            book.open.clear();
            book.openSince = clock.nanos();
        }
    }

    /** Whether this grant keeps others out now. */
    public boolean isOpen(Entry entry) {
        return !entry.released && entry.epoch == epoch && entry.expiresAt > clock.nanos();
    }

    /** How long ago the grant was made. */
    public long age(Entry entry) {
        return clock.nanos() - entry.grantedAt;
    }

    /** How long ago the grant ended at the store by expiry, loss or release; negative if it has not. */
    public long endedAgo(Entry entry) {
        return clock.nanos() - entry.expiresAt;
    }

    /** The grant that this token belongs to. Tokens of one name may repeat after lost data: the newest counts. */
    @Nullable
    public Entry find(String name, long token) {
        List<Entry> all = book(name).all;
        for (int i = all.size() - 1; i >= 0; i--) {
            if (all.get(i).covers(token)) {
                return all.get(i);
            }
        }
        return null;
    }

    @Nullable
    public Entry find(HolderId holder) {
        return byHolder.get(holder);
    }

    public boolean wasReleased(HolderId holder) {
        return everReleased.contains(holder);
    }

    /** Whether the tokens of this name went backwards where U6 allows it; guards then protect nothing. */
    public boolean areTokensExcused(String name) {
        return book(name).tokensExcused;
    }

    /** Grants that still count, of one name. */
    public List<Entry> open(String name) {
        Book book = book(name);
        sweep(book);
        return book.open;
    }

    /** Grants that are neither released nor expired, of every name. */
    public List<Entry> live() {
        List<Entry> live = new ArrayList<>();
        for (Book book : books.values()) {
            for (Entry entry : book.open) {
                if (isOpen(entry)) {
                    live.add(entry);
                }
            }
        }
        return live;
    }

    /** Whether the lock-delay of an ended lease keeps the name closed. */
    public boolean inLockDelay(String name) {
        long now = clock.nanos();
        for (Entry entry : open(name)) {
            if (entry.expiresAt <= now) {
                return true;
            }
        }
        return false;
    }

    /** Since when nothing stands in the way of a grant, on the store's clock; or -1 if something does. */
    public long freeFor(String name) {
        Book book = book(name);
        sweep(book);
        return book.open.isEmpty() ? clock.nanos() - book.openSince : -1;
    }

    public Set<String> names() {
        return books.keySet();
    }

    private void checkConflicts(Book book, Claim claim) {
        sweep(book);
        long now = clock.nanos();
        int permitsTaken = 0;
        for (Entry entry : book.open) {
            if (entry.expiresAt <= now) {
                rules.require(Rule.U17_DELAY, false, () -> "granted to " + claim + " in the lock-delay of " + entry);
            }
            boolean compatible = claim.mode() == entry.claim.mode() && claim.mode() != Mode.EXCLUSIVE;
            rules.require(Rule.S2_CONFLICT, compatible, () -> "granted to " + claim + " beside " + entry);
            permitsTaken++;
        }
        rules.require(Rule.U17_DELAY, true, () -> "");
        if (claim.mode() == Mode.PERMIT) {
            int taken = permitsTaken;
            rules.require(
                    Rule.S2_CONFLICT, taken < claim.permits(), () -> taken + " permits taken, one more: " + claim);
        }
    }

    private void checkTombstone(Claim claim) {
        Long at = releasedAt.get(claim.holder());
        rules.require(
                Rule.L1_TOMBSTONE,
                at == null || clock.nanos() - at > TimeUnit.SECONDS.toNanos(10),
                () -> "granted to " + claim + ", whose release was executed before");
    }

    private void checkToken(Book book, Claim claim, Granted granted) {
        rules.require(
                Rule.S3_SPAN,
                granted.span() >= 1 && granted.span() <= claim.span() && granted.token() > 0,
                () -> granted + " for " + claim);
        long wall = clock.wallMicros();
        boolean larger = granted.token() > book.lastToken;
        if (book.lastEpoch == epoch) {
            rules.require(
                    Rule.P2_TOKENS, larger, () -> granted + " after " + book.lastToken + " of " + claim.lockName());
        } else if (wall - book.lastWall > START_LEAD_MICROS) {
            rules.require(
                    Rule.U6_AFTER_LOSS,
                    larger,
                    () -> granted + " after lost data, before it " + book.lastToken + " of " + claim.lockName());
        } else if (!larger) {
            book.tokensExcused = true;
            book.lastToken = 0;
        }
        highestWall = Math.max(highestWall, wall);
        long lead = granted.token() + granted.span() - 1 - highestWall;
        rules.require(
                Rule.U6_LEAD,
                lead <= START_LEAD_MICROS + SPAN_LEAD_MICROS + 256 + book.all.size(),
                () -> granted + " is " + lead + " µs ahead of the store's clock");
    }

    private void sweep(Book book) {
        long now = clock.nanos();
        long openSince = book.openSince;
        for (int i = book.open.size() - 1; i >= 0; i--) {
            Entry entry = book.open.get(i);
            long closedUntil = entry.expiresAt + entry.claim.lockDelay().toNanos();
            if (entry.released || closedUntil <= now) {
                book.open.remove(i);
                openSince = Math.max(openSince, entry.released ? now : closedUntil);
            }
        }
        book.openSince = openSince;
    }

    private Book book(String name) {
        return books.computeIfAbsent(name, unused -> {
            Book book = new Book();
            book.openSince = clock.nanos();
            return book;
        });
    }
}
