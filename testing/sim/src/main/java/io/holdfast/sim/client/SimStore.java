package io.holdfast.sim.client;

import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.Scheduler;
import io.holdfast.StoreUnavailableException;
import io.holdfast.sim.check.SentVerb;
import io.holdfast.sim.check.TraceText;
import io.holdfast.sim.plan.PlantedBug;
import io.holdfast.sim.store.ServerReply;
import io.holdfast.sim.world.Machine;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.StoreSignals;
import io.holdfast.spi.Term;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A client's side of the modelled store, in pull mode: every verb is a message to the server and one back. */
public class SimStore implements LockStore {
    private static final Refused FREE = new Refused(null, null, false, null);

    public final Client client;
    public final Machine machine;
    public final RunContext run;
    private final StoreInfo info;
    private final Set<HolderId> unknown = new HashSet<>();
    private final Map<String, Integer> asking = new HashMap<>();
    private @Nullable StoreSignals signals;
    private boolean closed;

    public SimStore(Client client, RunContext run) {
        this.client = client;
        this.machine = client.machine();
        this.run = run;
        this.info = StoreInfo.of("sim", "sim")
                .withIoTimeout(run.plan().ioTimeout)
                .withPauses(Duration.ofMillis(15), Duration.ofMillis(15));
    }

    @Override
    public StoreInfo info() {
        return info;
    }

    @Override
    public void attach(StoreContext context) {
        signals = context.signals();
    }

    /** The connection broke or came back. */
    public void connection(boolean up) {
        StoreSignals engine = signals;
        if (engine != null && run.plan().signals) {
            if (up) {
                engine.connected();
            } else {
                engine.disconnected();
            }
        }
    }

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        run.observer().sent(client, SentVerb.ACQUIRE, claim);
        return asks(
                claim,
                call(
                        "acquire " + TraceText.brief(claim.holder()),
                        claim,
                        duplicate -> run.server().tryAcquire(claim, duplicate),
                        (reply, sent) -> {
                            if (reply instanceof ServerReply.Yes yes) {
                                return since(yes.granted(), sent);
                            }
                            return reply instanceof ServerReply.Wait wait ? wait.because() : FREE;
                        }));
    }

    /** Whether a request for this lock is on its way. */
    public boolean isAsking(String lockName) {
        return asking.getOrDefault(lockName, 0) > 0;
    }

    public <T> CompletableFuture<T> asks(Claim claim, CompletableFuture<T> answer) {
        asking.merge(claim.lockName(), 1, Integer::sum);
        answer.whenComplete((value, failure) -> asking.merge(claim.lockName(), -1, Integer::sum));
        return answer;
    }

    @Override
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        List<Claim> batch = List.copyOf(claims);
        batch.forEach(claim -> run.observer().sent(client, SentVerb.RENEW, claim));
        Claim shortest = batch.get(0);
        for (Claim claim : batch) {
            shortest = claim.ttl().compareTo(shortest.ttl()) < 0 ? claim : shortest;
        }
        CompletableFuture<List<RenewResult>> answer = call(
                "renew "
                        + batch.stream()
                                .map(claim -> TraceText.brief(claim.holder()))
                                .toList(),
                shortest,
                duplicate -> run.server().renew(batch),
                (results, sent) -> renewed(batch, results, sent));
        client.renewalSent();
        return answer;
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        return release(SentVerb.RELEASE, claim);
    }

    public CompletionStage<ReleaseResult> release(SentVerb verb, Claim claim) {
        run.observer().sent(client, verb, claim);
        if (run.planted() == PlantedBug.NO_RELEASE_AFTER_UNKNOWN && unknown.contains(claim.holder())) {
            return CompletableFuture.completedFuture(new ReleaseResult.NotHeld(null));
        }
        CompletionStage<ReleaseResult> released = call(
                "release " + TraceText.brief(claim.holder()),
                claim,
                duplicate -> run.server().release(claim),
                (result, sent) -> heard(claim, result));
        if (run.planted() == PlantedBug.RENEWS_AFTER_RELEASE) {
            var unused = renew(List.of(claim));
        }
        return released;
    }

    private ReleaseResult heard(Claim claim, ReleaseResult result) {
        if (result instanceof ReleaseResult.Released released) {
            run.observer().standsBack(client, claim, released.standBack());
        }
        boolean deaf = run.planted() == PlantedBug.IGNORES_STAND_BACK && result instanceof ReleaseResult.Released;
        return deaf ? ReleaseResult.Released.INSTANCE : result;
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        return call("inspect", info.ioTimeout().toNanos(), d -> run.server().inspect(query), (result, sent) -> result);
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        return call(
                "revoke",
                info.ioTimeout().toNanos(),
                d -> run.server().revoke(lockName, how),
                (result, sent) -> result);
    }

    @Override
    public void close() {
        closed = true;
    }

    /** The grant, counted from the sending of the request that allows it. */
    public Granted since(Granted granted, long sent) {
        long from = run.planted() == PlantedBug.VALIDITY_FROM_RECEIPT ? machine.nanos() : sent;
        return new Granted(
                granted.token(), granted.span(), new Term(from, granted.term().nanos()), granted.provisional());
    }

    public <R, T> CompletableFuture<T> call(
            String what, Claim claim, Function<Boolean, R> execute, BiFunction<R, Long, T> read) {
        long timeout =
                Math.min(info.ioTimeout().toNanos(), claim.ttl().dividedBy(3).toNanos());
        long sentAt = run.world().now();
        long forgotten = timeout
                + claim.ttl().toNanos()
                + claim.lockDelay().toNanos()
                + info.ioTimeout().toNanos();
        CompletableFuture<T> answer = call(
                what,
                timeout,
                // After so long the engine does not repeat the release, and a grant stays for its TTL.
                duplicate -> execute.apply(duplicate || run.world().now() - sentAt > forgotten),
                read);
        if (run.planted() == PlantedBug.NO_RELEASE_AFTER_UNKNOWN) {
            answer.whenComplete((value, failure) -> {
                if (failure != null) {
                    unknown.add(claim.holder());
                }
            });
        }
        return answer;
    }

    /** One request: executed at the server if it arrives, answered if the answer arrives, unknown otherwise. */
    public <R, T> CompletableFuture<T> call(
            String what, long timeoutNanos, Function<Boolean, R> execute, BiFunction<R, Long, T> read) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        if (closed) {
            answer.completeExceptionally(new StoreUnavailableException(what + ": the store is closed", false, null));
            return answer;
        }
        if (run.server().isDown() && run.refusesConnections()) {
            machine.execute(() -> answer.completeExceptionally(
                    new StoreUnavailableException(what + ": connection refused", false, null)));
            return answer;
        }
        long sent = machine.nanos();
        Scheduler.Timer timeout = machine.schedule(
                () -> answer.completeExceptionally(new StoreUnavailableException(what + ": no answer", true, null)),
                timeoutNanos);
        run.network().request(client, what, duplicate -> {
            if (run.server().isDown()) {
                return;
            }
            R result = execute.apply(duplicate);
            if (!duplicate) {
                run.network().reply(client, "answer to " + what, () -> {
                    timeout.cancel();
                    if (!answer.isDone()) {
                        deliver(answer, () -> read.apply(result, sent));
                    }
                });
            }
        });
        return answer;
    }

    private static <T> void deliver(CompletableFuture<T> answer, Supplier<T> read) {
        T value;
        try {
            value = read.get();
        } catch (StoreUnavailableException e) {
            answer.completeExceptionally(e);
            return;
        }
        answer.complete(value);
    }

    private List<RenewResult> renewed(List<Claim> batch, List<RenewResult> results, long sent) {
        List<RenewResult> counted = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i) instanceof RenewResult.Lost) {
                run.observer().denied(batch.get(i));
            }
        }
        for (RenewResult result : results) {
            counted.add(
                    result instanceof RenewResult.Renewed renewed
                            ? new RenewResult.Renewed(new Term(
                                    run.planted() == PlantedBug.VALIDITY_FROM_RECEIPT ? machine.nanos() : sent,
                                    renewed.term().nanos()))
                            : result);
        }
        return counted;
    }
}
