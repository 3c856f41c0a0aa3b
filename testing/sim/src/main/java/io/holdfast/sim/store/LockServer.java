package io.holdfast.sim.store;

import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.memory.Decision;
import io.holdfast.memory.LockTable;
import io.holdfast.memory.Push;
import io.holdfast.sim.check.GrantLedger;
import io.holdfast.sim.check.TraceText;
import io.holdfast.sim.plan.SeedPlan;
import io.holdfast.sim.world.Machine;
import io.holdfast.sim.world.World;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.Term;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The store's server: the decisions of {@link LockTable}, with a clock, a queue that clients must keep alive by polling
 * (L3), pushes and hints. Every answer is entered in the {@link GrantLedger}, which checks it.
 *
 * <p>A pushed grant may be provisional: it ends after 2 s at most unless its first renewal arrives before.
 */
public final class LockServer {
    private static final Refused FREE = new Refused(null, null, false, null);
    private static final long PROVISIONAL = TimeUnit.SECONDS.toNanos(2);
    private static final long LIVENESS = TimeUnit.SECONDS.toNanos(2);

    /** What the server sends without being asked: pushes and hints. */
    public interface Notifications {
        void pushed(Claim claim, Granted granted);

        void dropped(Claim claim);

        void hint(String name);
    }

    /** The answer to an exchange. */
    public record Swap(ReleaseResult released, ServerReply next) {}

    private final World world;
    private final Machine machine;
    private final SeedPlan plan;
    private final GrantLedger ledger;
    private final ServerBugs bugs;
    private final Notifications notifications;
    private final Map<String, World.Event> advances = new HashMap<>();
    private final Map<HolderId, Claim> unconfirmed = new LinkedHashMap<>();
    private final Set<HolderId> latecomers = new HashSet<>();
    private LockTable table = new LockTable(16);
    private long downUntil;

    public LockServer(
            World world,
            Machine machine,
            SeedPlan plan,
            GrantLedger ledger,
            ServerBugs bugs,
            Notifications notifications) {
        this.world = world;
        this.machine = machine;
        this.plan = plan;
        this.ledger = ledger;
        this.bugs = bugs;
        this.notifications = notifications;
    }

    public Machine machine() {
        return machine;
    }

    public boolean isDown() {
        return world.now() < downUntil;
    }

    public void restart(long downNanos, boolean losesData) {
        downUntil = Math.max(downUntil, world.now() + downNanos);
        if (losesData) {
            table = new LockTable(16);
            unconfirmed.clear();
            ledger.lostData();
            bugs.lostData();
        }
    }

    public ServerReply tryAcquire(Claim asked, boolean late) {
        settle();
        Claim claim = bugs.asked(asked);
        Decision decision = table.tryAcquire(claim, now(), wall());
        return answer(asked, decision, late);
    }

    public ServerReply enqueue(Claim asked, long waitNanos, boolean late) {
        settle();
        Claim claim = bugs.asked(asked);
        Decision decision = table.enqueue(claim, now() + Math.min(LIVENESS, waitNanos), now(), wall());
        if (decision instanceof Decision.Waiting && bugs.losesWaiter(asked)) {
            table.release(claim, now(), wall());
        }
        return answer(asked, decision, late);
    }

    /** Both halves in one step. */
    public Swap exchange(Claim held, Claim next, long waitNanos, boolean late) {
        settle();
        ReleaseResult released = table.release(bugs.releasing(held), now(), wall());
        bugs.released(held);
        ledger.released(held, released instanceof ReleaseResult.Released);
        unconfirmed.remove(held.holder());
        return new Swap(released, enqueue(next, waitNanos, late));
    }

    /** The waiter is alive and wants its place for {@code waitNanos} more. */
    public ServerReply poll(Claim asked, long waitNanos) {
        settle();
        Claim claim = bugs.asked(asked);
        table.advance(claim.lockName(), now(), wall());
        afterwards(claim.lockName());
        if (bugs.hasLost(asked) || table.extend(claim, now() + Math.min(LIVENESS, waitNanos))) {
            return new ServerReply.Wait(FREE);
        }
        GrantLedger.Entry entry = ledger.find(asked.holder());
        if (entry != null && ledger.isOpen(entry)) {
            boolean brief = unconfirmed.containsKey(asked.holder());
            return new ServerReply.Yes(
                    new Granted(entry.token, entry.span, new Term(0, -ledger.endedAgo(entry)), brief));
        }
        return new ServerReply.Gone(FREE);
    }

    public List<RenewResult> renew(List<Claim> claims) {
        settle();
        List<RenewResult> results = new ArrayList<>();
        for (Claim asked : claims) {
            Decision decision = table.renew(bugs.asked(asked), now(), wall());
            if (decision instanceof Decision.Lost) {
                decision = bugs.revived(asked, decision, claim -> table.tryAcquire(claim, now(), wall()));
            }
            if (decision instanceof Decision.Grant grant) {
                unconfirmed.remove(asked.holder());
                long nanos = bugs.promised(grant.nanos());
                ledger.renewed(asked, nanos);
                results.add(new RenewResult.Renewed(new Term(0, nanos)));
            } else {
                results.add(new RenewResult.Lost(((Decision.Lost) decision).reason()));
            }
            afterwards(asked.lockName());
        }
        return results;
    }

    public ReleaseResult release(Claim asked) {
        settle();
        Claim claim = bugs.releasing(asked);
        ReleaseResult result = table.release(claim, now(), wall());
        bugs.released(asked);
        ledger.released(asked, result instanceof ReleaseResult.Released);
        unconfirmed.remove(asked.holder());
        notifications.hint(asked.lockName());
        afterwards(asked.lockName());
        return result;
    }

    public RevokeResult revoke(String name, Revocation how) {
        settle();
        table.advance(name, now(), wall());
        afterwards(name);
        RevokeResult result = table.revoke(name, how, now(), wall());
        if (result instanceof RevokeResult.Revoked) {
            ledger.revoked(name, how);
        }
        afterwards(name);
        return result;
    }

    public List<LockStatus> inspect(LockQuery query) {
        return table.inspect(query.text(), now(), wall()).stream().toList();
    }

    /** Whether a second copy of the request, or one that came very late, was granted: no client knows of that grant and releases it. */
    public boolean grantedToLatecomer(HolderId holder) {
        return latecomers.contains(holder);
    }

    private ServerReply answer(Claim asked, Decision decision, boolean late) {
        ServerReply reply;
        deliver();
        if (decision instanceof Decision.Grant grant) {
            GrantLedger.Entry known = ledger.find(asked.holder());
            if (late && (known == null || !ledger.isOpen(known))) {
                latecomers.add(asked.holder());
            }
            reply = new ServerReply.Yes(enter(asked, grant, false));
        } else if (decision instanceof Decision.Waiting waiting) {
            if (late) {
                latecomers.add(asked.holder());
            }
            reply = new ServerReply.Wait(waiting.because());
        } else if (decision instanceof Decision.Refusal refusal) {
            reply = new ServerReply.Wait(refusal.because());
        } else {
            reply = new ServerReply.Gone(FREE);
        }
        afterwards(asked.lockName());
        return reply;
    }

    private Granted enter(Claim asked, Decision.Grant grant, boolean pushed) {
        long nanos = bugs.promised(grant.nanos());
        boolean brief = pushed && plan.provisional && asked.lockDelay().isZero() && nanos > PROVISIONAL;
        long kept = brief ? PROVISIONAL : nanos;
        Granted granted = new Granted(bugs.token(grant.token(), wall()), grant.span(), new Term(0, kept), brief);
        if (brief) {
            unconfirmed.put(asked.holder(), asked);
            world.post(null, PROVISIONAL + PROVISIONAL / 100, "provisional grant ends", () -> {
                if (!isDown()) {
                    settle();
                }
            });
        }
        ledger.granted(asked, granted, kept);
        bugs.granted(asked);
        world.note(
                "store",
                "grants " + asked.lockName() + " " + asked.mode() + " to " + TraceText.brief(asked.holder()) + " token "
                        + granted.token() + "+" + granted.span() + (brief ? " provisionally" : ""));
        return granted;
    }

    /** Ends the provisional grants that were not confirmed in time. Runs before everything else. */
    private void settle() {
        for (Claim claim : List.copyOf(unconfirmed.values())) {
            GrantLedger.Entry entry = ledger.find(claim.holder());
            if (entry == null || !ledger.isOpen(entry)) {
                unconfirmed.remove(claim.holder());
                table.release(bugs.asked(claim), now(), wall());
                afterwards(claim.lockName());
            }
        }
    }

    /** Tells waiters what the table did to them; before the answer, because their tokens were drawn before. */
    private void deliver() {
        for (Push push : table.takePushes()) {
            Claim waiter = bugs.original(push.claim());
            if (push instanceof Push.Handed handed) {
                notifications.pushed(waiter, enter(waiter, handed.grant(), true));
            } else {
                notifications.dropped(waiter);
            }
        }
    }

    /** Delivers, and wakes up when time alone will change something. */
    private void afterwards(String name) {
        deliver();
        World.Event planned = advances.remove(name);
        if (planned != null) {
            planned.cancel();
        }
        OptionalLong next = table.nextAdvance(name, now());
        if (next.isPresent()) {
            long delay = Math.max(1, next.getAsLong() - now()) + 1_000_000;
            advances.put(name, world.post(null, delay, "advance " + name, () -> advance(name)));
        }
    }

    private void advance(String name) {
        if (isDown()) {
            advances.put(name, world.post(null, downUntil - world.now() + 1, "advance " + name, () -> advance(name)));
            return;
        }
        settle();
        table.advance(name, now(), wall());
        afterwards(name);
    }

    private long now() {
        return machine.nanos();
    }

    private long wall() {
        return machine.wallMicros();
    }
}
