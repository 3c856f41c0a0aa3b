package io.holdfast.tck.engine;

import io.holdfast.Acquirable;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.tck.engine.world.EngineWorld;
import java.time.Duration;
import java.util.Optional;

/** What the clauses of the engine use: the world of the running test, and a way to acquire, blocking or not. */
interface EngineClauses {
    /** The world of the running test. */
    EngineWorld world();

    /** Begins to acquire. */
    Attempt start(Acquirable lock, LockOptions options);

    /** Tries once. */
    Optional<Lease> tryNow(Acquirable lock, LockOptions options) throws Exception;

    /** Works under the lock. */
    <T> T callHeld(Acquirable lock, LockOptions options, Acquirable.Work<T, Exception> work) throws Exception;

    /** Acquires what must be free. */
    default Lease acquire(Acquirable lock, LockOptions options) throws Exception {
        return start(lock, options).lease();
    }

    /** Acquires what must be free. */
    default Lease acquire(Acquirable lock) throws Exception {
        return acquire(lock, LockOptions.defaults());
    }

    /** Waits for long, with a TTL that does not run out in a test: whatever is left behind stays there. */
    default LockOptions lasting() {
        return LockOptions.waitUpTo(Duration.ofMinutes(5)).ttl(Duration.ofMinutes(10));
    }

    /** Waits for long, with the TTL that tests let run out. */
    default LockOptions brief() {
        return LockOptions.waitUpTo(Duration.ofMinutes(5)).ttl(world().shortTtl());
    }
}
