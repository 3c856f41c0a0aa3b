package io.holdfast.cli.output;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * The time at which a lock was granted. The records of the stores have no such field. Where tokens are made from the
 * store's clock (SQLite, SQL, Redis, Redlock), the token of a grant is its time in microseconds. Tokens of ZooKeeper and
 * etcd are counters, so the time is unknown there.
 */
final class GrantTime {
    /** A token that is further ahead of the store's clock than this says nothing of the time. */
    private static final Duration MOST_LEAD = Duration.ofSeconds(1);

    private GrantTime() {}

    /** When the holder was granted the lock; empty if the store does not tell it. */
    static Optional<Instant> of(LockStatus status, Holder holder, Source source) {
        if (!source.tellsTime() || status.tokenLead().compareTo(MOST_LEAD) > 0) {
            return Optional.empty();
        }
        return Optional.of(Instant.EPOCH.plus(holder.token(), ChronoUnit.MICROS).truncatedTo(ChronoUnit.MILLIS));
    }

    /** For how long it has held the lock, by this machine's clock. */
    static Optional<Duration> age(LockStatus status, Holder holder, Source source) {
        return of(status, holder, source)
                .map(since -> Duration.between(since, Instant.now()))
                .map(age -> age.isNegative() ? Duration.ZERO : age);
    }
}
