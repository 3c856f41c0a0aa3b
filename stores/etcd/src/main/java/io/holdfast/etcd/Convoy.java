package io.holdfast.etcd;

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
 * Requests of several threads that travel together. While few calls are under way a request goes at once, alone. Else it
 * waits until one of them ends, and goes with everything else that has come meanwhile: one call instead of many.
 *
 * <ul>
 *   <li>I1: requests depart in the order in which they came; but of those with the same key only the first goes in a
 *       call, and the others in later ones, in their order.
 *   <li>I2: a request departs once.
 *   <li>I3: no request waits while fewer than {@code lanes} calls are under way.
 *   <li>I4: no request waits at a departure that is {@code gapNanos} after the one before: calls that are not answered
 *       hold nobody up. Such a departure comes with the next request, and with {@link #hurry()}.
 * </ul>
 *
 * @param <T> a request
 */
final class Convoy<T> {
    /**
     * How requests are sent.
     *
     * @param <T> a request
     */
    interface Road<T> {
        /**
         * Sends these requests as one call, on the thread of whoever asks or of an answer, and completes when that call
         * has ended, whatever came of it. Does not throw and does not block.
         */
        CompletionStage<?> send(List<T> requests);

        /** Of requests with equal keys only one is in a call. */
        Object key(T request);
    }

    private final Road<T> road;
    private final int lanes;
    private final int seats;
    private final long gapNanos;
    private final LongSupplier clock;

    // Guarded by this.
    private final Queue<T> waiting = new ArrayDeque<>();
    private int underWay;
    private long departed;

    /**
     * Nothing under way yet.
     *
     * @param lanes how many calls are under way before requests wait for each other
     * @param seats how many requests a call has at most
     */
    Convoy(Road<T> road, int lanes, int seats, long gapNanos, LongSupplier clock) {
        this.road = road;
        this.lanes = lanes;
        this.seats = seats;
        this.gapNanos = gapNanos;
        this.clock = clock;
    }

    /** Sends the request, now or with others. */
    void add(T request) {
        List<T> load;
        synchronized (this) {
            waiting.add(request);
            load = load();
        }
        depart(load);
    }

    /** Sends what has waited for long enough. */
    void hurry() {
        List<T> load;
        synchronized (this) {
            load = load();
        }
        depart(load);
    }

    private void depart(List<T> first) {
        List<T> load = first;
        while (!load.isEmpty()) {
            road.send(load).whenComplete((done, failure) -> arrived());
            synchronized (this) {
                load = load();
            }
        }
    }

    private void arrived() {
        List<T> load;
        synchronized (this) {
            underWay--;
            load = load();
        }
        depart(load);
    }

    /** What goes now; nothing if it has to wait. */
    private List<T> load() {
        if (waiting.isEmpty()) {
            return List.of();
        }
        long now = clock.getAsLong();
        if (underWay >= lanes && now - departed < gapNanos) {
            return List.of();
        }
        underWay++;
        departed = now;
        return waiting.size() == 1 ? List.of(waiting.remove()) : several();
    }

    private List<T> several() {
        List<T> load = new ArrayList<>(Math.min(seats, waiting.size()));
        Set<Object> keys = new HashSet<>();
        Iterator<T> next = waiting.iterator();
        while (next.hasNext() && load.size() < seats) {
            T request = next.next();
            if (keys.add(road.key(request))) {
                load.add(request);
                next.remove();
            }
        }
        return load;
    }
}
