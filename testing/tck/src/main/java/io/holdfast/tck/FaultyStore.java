package io.holdfast.tck;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Queued;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Puts a network that loses, delays and doubles messages before a store. It has all contract types of the store, and
 * changes the verbs that answer with a stage. A verb fails at once with an unknown outcome if its request or reply was
 * lost. Thread-safe.
 */
public final class FaultyStore {
    /** What happens to the messages of one call. */
    public enum Fate {
        /** The request never arrives. */
        REQUEST_LOST,
        /** The store acts, but its reply never arrives. */
        REPLY_LOST,
        /** The caller gives up; the request arrives when {@link FaultyStore#deliverLate()} is called. */
        REQUEST_LATE,
        /** The store acts; the caller hears of it when {@link FaultyStore#deliverLate()} is called. */
        REPLY_LATE,
        /** The verb throws an {@link Error} instead of answering, and nothing is sent (L13). */
        THROWS_AN_ERROR,
        /** The verb's answer is an {@link Error}, and nothing is sent (L13). */
        ANSWERS_AN_ERROR
    }

    private record Call(Method verb, List<Object> arguments) {}

    private final LockStore target;
    private final LockStore store;
    private final Map<String, Deque<Fate>> fates = new HashMap<>();
    private final Map<String, Call> last = new HashMap<>();
    private final Map<String, Integer> counts = new HashMap<>();
    private final Set<String> cut = new LinkedHashSet<>();
    private final List<Call> late = new ArrayList<>();
    private final List<Runnable> lateReplies = new ArrayList<>();
    private final List<LosableTicket> places = new ArrayList<>();

    private FaultyStore(LockStore target) {
        this.target = target;
        this.store = (LockStore) Proxy.newProxyInstance(
                LockStore.class.getClassLoader(),
                spiTypes(target.getClass()).toArray(Class<?>[]::new),
                (proxy, method, arguments) -> invoke(method, arguments == null ? List.of() : List.of(arguments)));
    }

    /** Puts the network before {@code target}. */
    public static FaultyStore over(LockStore target) {
        return new FaultyStore(target);
    }

    /** The store as seen through the network. */
    public LockStore store() {
        return store;
    }

    /** The same, for a test to speak to. */
    public ContractClient client() {
        return new ContractClient(store);
    }

    /** The next call of {@code verb} meets this fate. */
    public synchronized void next(String verb, Fate fate) {
        fates.computeIfAbsent(verb, key -> new ArrayDeque<>()).add(fate);
    }

    /** Requests of {@code verbs} are lost until {@link #heal()}. */
    public synchronized void cut(String... verbs) {
        cut.addAll(List.of(verbs));
    }

    /** Messages arrive again. */
    public synchronized void heal() {
        cut.clear();
        fates.clear();
    }

    /** Every place in a queue that was given out is lost: the store leaves it, its client is told of an outage. */
    public void losePlaces() throws InterruptedException {
        List<LosableTicket> losing;
        synchronized (this) {
            losing = List.copyOf(places);
            places.clear();
        }
        for (LosableTicket place : losing) {
            place.lose();
        }
    }

    /** How often {@code verb} was called, lost calls included. */
    public synchronized int calls(String verb) {
        return counts.getOrDefault(verb, 0);
    }

    /** Requests and replies that are late arrive now; the store's answers to the former go nowhere. */
    public void deliverLate() throws InterruptedException {
        List<Call> arriving;
        List<Runnable> replies;
        synchronized (this) {
            arriving = List.copyOf(late);
            late.clear();
            replies = List.copyOf(lateReplies);
            lateReplies.clear();
        }
        replies.forEach(Runnable::run);
        for (Call call : arriving) {
            settle(call);
        }
    }

    /** The last request of {@code verb} arrives once more; the store's answer goes nowhere. */
    public void duplicate(String verb) throws InterruptedException {
        Call call;
        synchronized (this) {
            call = last.get(verb);
        }
        if (call == null) {
            throw new IllegalStateException("no " + verb + " was sent that could be doubled");
        }
        settle(call);
    }

    private Object invoke(Method method, List<Object> arguments) throws Throwable {
        if (!CompletionStage.class.isAssignableFrom(method.getReturnType())) {
            return send(new Call(method, arguments));
        }
        Call call = new Call(method, arguments);
        Fate fate = fate(call);
        if (fate == null) {
            Object answer = send(call);
            return method.getName().equals("enqueue") ? ((CompletionStage<?>) answer).thenApply(this::losable) : answer;
        }
        if (fate == Fate.THROWS_AN_ERROR) {
            throw new NoSuchMethodError("the store's driver: " + method.getName());
        }
        if (fate == Fate.ANSWERS_AN_ERROR) {
            return CompletableFuture.failedFuture(new NoSuchMethodError("the store's driver: " + method.getName()));
        }
        if (fate == Fate.REPLY_LATE) {
            return held((CompletionStage<?>) send(call));
        }
        if (fate == Fate.REPLY_LOST) {
            settle(call);
        } else if (fate == Fate.REQUEST_LATE) {
            synchronized (this) {
                late.add(call);
            }
        }
        return CompletableFuture.failedFuture(
                new StoreUnavailableException("the network: " + method.getName() + " met " + fate, true, null));
    }

    private Object losable(Object answer) {
        if (!(answer instanceof Queued queued)) {
            return answer;
        }
        LosableTicket place = new LosableTicket(queued.ticket());
        synchronized (this) {
            places.add(place);
        }
        return new Queued(place, queued.because());
    }

    private <T> CompletionStage<T> held(CompletionStage<T> answer) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        synchronized (this) {
            lateReplies.add(() -> answer.whenComplete((value, failure) -> {
                if (failure == null) {
                    reply.complete(value);
                } else {
                    reply.completeExceptionally(failure);
                }
            }));
        }
        return reply;
    }

    private synchronized @Nullable Fate fate(Call call) {
        String verb = call.verb.getName();
        last.put(verb, call);
        counts.merge(verb, 1, Integer::sum);
        if (cut.contains(verb)) {
            return Fate.REQUEST_LOST;
        }
        Deque<Fate> planned = fates.get(verb);
        return planned == null ? null : planned.poll();
    }

    /** Lets the store act and waits until it has; its answer or failure is dropped. */
    private void settle(Call call) throws InterruptedException {
        try {
            CompletableFuture<?> acted = ((CompletionStage<?>) send(call)).toCompletableFuture();
            ContractClient.answer(acted.handle((result, failure) -> Boolean.TRUE));
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("the store threw instead of answering " + call.verb.getName(), e);
        }
    }

    private Object send(Call call) throws Throwable {
        try {
            return call.verb.invoke(target, call.arguments.toArray());
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private static Set<Class<?>> spiTypes(Class<?> type) {
        Set<Class<?>> found = new LinkedHashSet<>();
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Class<?> implemented : at.getInterfaces()) {
                if (LockStore.class.isAssignableFrom(implemented)) {
                    found.add(implemented);
                }
            }
        }
        return found;
    }
}
