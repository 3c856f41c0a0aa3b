package io.holdfast.etcd.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * Sends requests of several threads in shared calls. While fewer than {@code maxCalls} calls are under way, a request
 * is sent at once in a call of its own. Otherwise it waits until a call ends, and is sent in one call with the other
 * requests that wait.
 *
 * <ul>
 *   <li>I1: requests are sent in the order in which they were added, with one exception: a call contains one request
 *       per key at most. The other requests with that key are sent in later calls, in their order.
 *   <li>I2: a request is sent once.
 *   <li>I3: no request waits while fewer than {@code maxCalls} calls are under way.
 *   <li>I4: no request waits for unanswered calls for long: once {@code gapNanos} have passed since the last call was
 *       sent, the next {@link #add} or {@link #sendOverdue} sends the requests that wait.
 * </ul>
 *
 * @param <T> a request
 */
final class RequestBatcher<T> {
    /**
     * How requests are sent.
     *
     * @param <T> a request
     */
    interface Transport<T> {
        /**
         * Sends these requests as one call, on the thread that added a request or the thread that completed a call. The
         * stage completes when the call has ended, also if it failed. Does not throw and does not block.
         */
        CompletionStage<?> send(List<T> requests);

        /** A call contains only one of the requests with equal keys. */
        Object key(T request);
    }

    private final Transport<T> transport;
    private final int maxCalls;
    private final int maxRequests;
    private final long gapNanos;
    private final LongSupplier clock;

    // Guarded by this.
    private final Queue<T> waiting = new ArrayDeque<>();
    private int underWay;
    private long sentAt;

    /**
     * No call is under way yet.
     *
     * @param maxCalls how many calls are under way before requests wait
     * @param maxRequests how many requests a call contains at most
     */
    RequestBatcher(Transport<T> transport, int maxCalls, int maxRequests, long gapNanos, LongSupplier clock) {
        this.transport = transport;
        this.maxCalls = maxCalls;
        this.maxRequests = maxRequests;
        this.gapNanos = gapNanos;
        this.clock = clock;
    }

    /** Sends the request, at once or in a later call. */
    void add(T request) {
        List<T> batch;
        synchronized (this) {
            waiting.add(request);
            batch = nextBatch();
        }
        send(batch);
    }

    /** Sends the requests that wait if the last call was sent {@code gapNanos} ago or earlier. */
    void sendOverdue() {
        List<T> batch;
        synchronized (this) {
            batch = nextBatch();
        }
        send(batch);
    }

    private void send(List<T> first) {
        List<T> batch = first;
        while (!batch.isEmpty()) {
            transport.send(batch).whenComplete((done, failure) -> ended());
            synchronized (this) {
                batch = nextBatch();
            }
        }
    }

    private void ended() {
        List<T> batch;
        synchronized (this) {
            underWay--;
            batch = nextBatch();
        }
        send(batch);
    }

    /** The requests to send now; empty if none waits or all have to go on waiting. Called under the monitor. */
    private List<T> nextBatch() {
        if (waiting.isEmpty()) {
            return List.of();
        }
        long now = clock.getAsLong();
        if (underWay >= maxCalls && now - sentAt < gapNanos) {
            return List.of();
        }
        underWay++;
        sentAt = now;
        return waiting.size() == 1 ? List.of(waiting.remove()) : oneOfEachKey();
    }

    private List<T> oneOfEachKey() {
        List<T> batch = new ArrayList<>(Math.min(maxRequests, waiting.size()));
        Set<Object> keys = new HashSet<>();
        Iterator<T> next = waiting.iterator();
        while (next.hasNext() && batch.size() < maxRequests) {
            T request = next.next();
            if (keys.add(transport.key(request))) {
                batch.add(request);
                next.remove();
            }
        }
        return batch;
    }
}
