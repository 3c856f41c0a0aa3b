package io.holdfast.cli.output;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What changed between two looks at a store. A grant is known by its token; a renewal is no change. */
public final class Changes {
    private static final String ENDED = "ended";
    private static final String REVOKED = "revoked";
    private static final String OPENED = "opened";

    private final Source source;
    private final boolean json;
    private Map<String, LockStatus> before = new LinkedHashMap<>();

    /** Of this store, from nothing. */
    public Changes(Source source, boolean json) {
        this.source = source;
        this.json = json;
    }

    /** The lines that lead from the last look to this one. */
    public List<String> to(List<LockStatus> locks) {
        Map<String, LockStatus> after = new LinkedHashMap<>();
        List<String> lines = new ArrayList<>();
        for (LockStatus lock : locks) {
            after.put(lock.lockName(), lock);
            compare(before.get(lock.lockName()), lock, lines);
        }
        for (LockStatus lock : before.values()) {
            if (!after.containsKey(lock.lockName())) {
                gone(lock, lines);
            }
        }
        before = after;
        return lines;
    }

    private void compare(@Nullable LockStatus old, LockStatus lock, List<String> lines) {
        List<Holder> oldHolders = old == null ? List.of() : old.holders();
        for (Holder holder : oldHolders) {
            if (lock.holders().stream().noneMatch(h -> h.token() == holder.token())) {
                lines.add(line(ENDED, lock, holder));
            }
        }
        for (Holder holder : lock.holders()) {
            if (oldHolders.stream().noneMatch(h -> h.token() == holder.token())) {
                lines.add(line("granted", lock, holder));
            } else if (lock.revoked() && old != null && !old.revoked()) {
                lines.add(line(REVOKED, lock, holder));
            }
        }
        boolean wasDelayed = old != null && !old.lockDelay().isZero();
        if (!lock.lockDelay().isZero() && !wasDelayed) {
            lines.add(line("lock-delay", lock, null));
        }
    }

    private void gone(LockStatus lock, List<String> lines) {
        lock.holders().forEach(holder -> lines.add(line(ENDED, lock, holder)));
        if (!lock.held() && !lock.lockDelay().isZero()) {
            lines.add(line(OPENED, lock, null));
        }
    }

    private String line(String change, LockStatus lock, @Nullable Holder holder) {
        Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        if (json) {
            Json line = new Json()
                    .with("time", now.toString())
                    .with("change", change)
                    .with("lock", lock.lockName())
                    .with("store", source.store())
                    .with("namespace", source.namespace());
            return (holder == null
                            ? line
                            : line.with("holder", Wording.json(holder, GrantTime.of(lock, holder, source))))
                    .toString();
        }
        return now + "  " + change + " ".repeat(12 - change.length()) + Terminal.oneLine(lock.lockName()) + "  "
                + Terminal.oneLine(spoken(change, lock, holder) + ", in " + source);
    }

    private String spoken(String change, LockStatus lock, @Nullable Holder holder) {
        if (holder == null) {
            return change.equals(OPENED) ? "its lock-delay is over" : "closed for " + DurationText.of(lock.lockDelay());
        }
        return switch (change) {
            case ENDED -> "was held by " + Wording.identity(holder);
            case REVOKED -> Wording.heldBy(lock, holder, source) + ", not renewed any more";
            default -> Wording.heldBy(lock, holder, source);
        };
    }
}
