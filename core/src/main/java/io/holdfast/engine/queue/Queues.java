package io.holdfast.engine.queue;

import io.holdfast.engine.lease.HeldGrant;
import io.holdfast.engine.lease.LeaseHandle;
import io.holdfast.engine.runtime.StoreCalls;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The queues of one client, by name. */
public final class Queues {
    private final RunnerParts parts;
    private final QueueRules rules;
    private final ConcurrentMap<String, QueueRunner> runners = new ConcurrentHashMap<>();
    private final IdleQueues idle = new IdleQueues();
    private final WorkLists work = new WorkLists();
    private final ReferenceQueue<LeaseHandle> collected = new ReferenceQueue<>();

    public Queues(RunnerParts parts, long handoffNanos) {
        this.parts = parts;
        this.rules = QueueRules.of(parts.calls().info(), waiting(parts.calls()), handoffNanos);
    }

    private static QueueRules.Waiting waiting(StoreCalls calls) {
        if (calls.queueing() != null) {
            return QueueRules.Waiting.QUEUE;
        }
        return calls.watchable() != null ? QueueRules.Waiting.WATCH : QueueRules.Waiting.PULL;
    }

    RunnerParts parts() {
        return parts;
    }

    QueueRules rules() {
        return rules;
    }

    WorkLists work() {
        return work;
    }

    ReferenceQueue<LeaseHandle> collected() {
        return collected;
    }

    /** The queue of a name that is in use; null if there is none. */
    public @Nullable QueueRunner inUse(String name) {
        QueueRunner known = runners.get(name);
        return known == null || known.idle() ? null : known;
    }

    /** The queue of a name, made if there is none. It may be retired by the time it is used. */
    public QueueRunner of(String name) {
        forgetCollected();
        QueueRunner known = runners.get(name);
        if (known != null) {
            return known;
        }
        QueueRunner fresh = new QueueRunner(name, this);
        QueueRunner other = runners.putIfAbsent(name, fresh);
        return other == null ? fresh : other;
    }

    /** A release was answered: other clients wait for the name, and this one leaves it to them (L21). */
    public void standBack(String name, Duration howLong) {
        while (!of(name).standBack(howLong)) {
            Thread.onSpinWait();
        }
    }

    /** The names that this client holds or waits for. */
    public List<String> busyNames() {
        forgetCollected();
        return runners.values().stream()
                .filter(runner -> !runner.idle())
                .map(QueueRunner::name)
                .sorted()
                .toList();
    }

    /** Fails every request, and returns the grants that the client holds. */
    public List<HeldGrant> close(RuntimeException why) {
        List<HeldGrant> held = new ArrayList<>();
        for (QueueRunner runner : runners.values()) {
            runner.close(why);
            held.addAll(runner.grants());
        }
        return held;
    }

    /** How many queues are in the map. */
    int size() {
        return runners.size();
    }

    @Nullable
    QueueRunner get(String name) {
        return runners.get(name);
    }

    void wentIdle(QueueRunner runner) {
        idle.keep(runner);
    }

    void forget(QueueRunner runner) {
        runners.remove(runner.name(), runner);
    }

    /** Lost leases that the program dropped without closing them no longer keep their queues in use. */
    private void forgetCollected() {
        for (Reference<?> each = collected.poll(); each != null; each = collected.poll()) {
            if (each instanceof LostLease lost) {
                lost.collected();
            }
        }
    }
}
