package io.holdfast.engine.queue;

import org.jspecify.annotations.Nullable;

/**
 * Chains of actions that wait for a loop of the same thread. A store may answer one call inside another call, on the same
 * thread. What follows from such an answer is performed by the loop that runs already, after what it has in hand: so a
 * thousand answers that are known at once do not become a thousand nested calls.
 *
 * <p>One object per client. Nothing is allocated unless a chain arrives while a loop runs on its thread.
 */
final class WorkLists {
    /** A chain and the runner that performs it. */
    static final class Work {
        final QueueRunner runner;
        final Action chain;

        @Nullable
        Work next;

        Work(QueueRunner runner, Action chain) {
            this.runner = runner;
            this.chain = chain;
        }
    }

    /** The chains that wait for one loop. */
    static final class WorkList {
        private @Nullable Work first;
        private @Nullable Work last;

        private void add(Work work) {
            if (last == null) {
                first = work;
            } else {
                last.next = work;
            }
            last = work;
        }

        private @Nullable Work poll() {
            Work polled = first;
            if (polled != null) {
                first = polled.next;
                last = first == null ? null : last;
            }
            return polled;
        }
    }

    /** A loop runs, and nothing waits for it. Never changed. */
    private static final WorkList EMPTY = new WorkList();

    @SuppressWarnings(
            "ThreadLocalUsage") // One per client: a loop of one client does not perform what another has to do.
    private final ThreadLocal<@Nullable WorkList> current = new ThreadLocal<>();

    /** A loop begins on this thread. Returns what {@link #leave} needs. */
    @Nullable
    WorkList enter() {
        WorkList outer = current.get();
        current.set(EMPTY);
        return outer;
    }

    /** The next chain for the loop of this thread. */
    @Nullable
    Work poll() {
        WorkList mine = current.get();
        return mine == null || mine == EMPTY ? null : mine.poll();
    }

    void leave(@Nullable WorkList outer) {
        current.set(outer);
    }

    /** Leaves a chain to the loop of this thread; false if no loop runs on it. */
    boolean append(QueueRunner runner, Action chain) {
        WorkList mine = current.get();
        if (mine == null) {
            return false;
        }
        if (mine == EMPTY) {
            mine = new WorkList();
            current.set(mine);
        }
        mine.add(new Work(runner, chain));
        return true;
    }
}
