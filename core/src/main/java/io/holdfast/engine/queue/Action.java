package io.holdfast.engine.queue;

import io.holdfast.ReleaseOutcome;
import io.holdfast.Scheduler;
import io.holdfast.engine.lease.HeldGrant;
import io.holdfast.engine.lease.ReleaseAnswer;
import io.holdfast.engine.lease.Releases;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Ticket;
import io.holdfast.spi.WatchableStore;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a transition of {@link LocalQueue} wants to be done. A transition returns a chain of actions, linked by
 * {@link #next}; null is the empty chain. Common pairs are one action, so that an uncontended acquire makes two actions
 * and an uncontended release makes one.
 *
 * <p>No order between two chains is promised, not even of one queue. What an action makes comes back as an event and is
 * closed if it is not wanted any more.
 */
abstract sealed class Action {
    @Nullable
    Action next;

    /** Whether it is a store call, which {@code close()} of the client waits for. */
    boolean callsStore() {
        return false;
    }

    /** The first chain, then the second. */
    static @Nullable Action chain(@Nullable Action first, @Nullable Action second) {
        if (first == null) {
            return second;
        }
        Action last = first;
        while (last.next != null) {
            last = last.next;
        }
        last.next = second;
        return first;
    }

    /** This action, out of its chain. */
    final Action alone() {
        next = null;
        return this;
    }

    /** This chain, then the other. */
    final Action before(@Nullable Action rest) {
        chain(this, rest);
        return this;
    }

    /** An action about one claim that the store answers. */
    abstract static sealed class StoreAction extends Action {
        @Override
        boolean callsStore() {
            return true;
        }
    }

    /**
     * Asks the store for the lock. The performer makes the claim, with a fresh holder id, so each ask is a claim of its
     * own. Answered by {@link LocalQueue#granted}, {@code queued}, {@code refused} or {@code failed}.
     */
    static final class Ask extends StoreAction {
        private static final byte CONFIRMING = 1;
        private static final byte SETTLED = 2;

        final StoreRequest request;

        /** The waiter for which the claim is made. The request may go on for another one later (L9). */
        final Waiter waiter;

        final short span;

        /** What a store without a queue notes if it refuses the claim (L21). */
        final Duration note;

        final Duration wait;

        /** Set by the performer before the store is called. */
        private volatile @Nullable Claim claim;

        /** The answer is not wanted any more. A performer that has not called the store yet does not call it. */
        private volatile boolean unwanted;

        /** Set by the performer: the wall clock's lead when the request was sent (U21). Read under the monitor. */
        long wallLead;

        /** Which answers still count. Guarded by the queue. */
        private byte stage;

        Ask(StoreRequest request, int span, Duration note, Duration wait) {
            this.request = request;
            this.waiter = request.waiter;
            this.span = (short) span;
            this.note = note;
            this.wait = wait;
        }

        /** The final answer was taken in, or a cancel was decided: a repeated answer says nothing. */
        boolean settled() {
            return stage == SETTLED;
        }

        void settle() {
            stage = SETTLED;
        }

        /** The grant is being renewed before it is used: only the answer to the renewal counts. */
        boolean confirming() {
            return stage == CONFIRMING;
        }

        void confirm() {
            stage = CONFIRMING;
        }

        /** Before the store is called; false if it is not to be called any more. */
        boolean start(Claim made, long lead) {
            wallLead = lead;
            claim = made;
            return !unwanted;
        }

        /** The claim, unless the store was not called yet. */
        @Nullable
        Claim claim() {
            return claim;
        }

        /** The claim of an ask that the store has answered. */
        Claim sentClaim() {
            Claim made = claim;
            if (made == null) {
                throw new IllegalStateException("an answer to a request that was not sent");
            }
            return made;
        }

        /** Written before {@link #claim()} is read, as {@link #start} does the opposite: one of the two sees the other. */
        void unwanted() {
            unwanted = true;
        }
    }

    /** Gives a grant back and asks for the next waiter in one call of a store with a queue (U5, U15). */
    static final class Exchange extends StoreAction {
        final HeldGrant ended;
        final ReleaseAnswer answer;
        final Ask ask;

        Exchange(HeldGrant ended, ReleaseAnswer answer, Ask ask) {
            this.ended = ended;
            this.answer = answer;
            this.ask = ask;
        }
    }

    /** The keeper lets a grant go, then its release is sent. Hears the answer itself. */
    static final class End extends StoreAction implements Releases.Told {
        final ReleaseAnswer answer;

        /** Whether the lease was held until now. */
        private final boolean held;

        /** Whether the next request waits for the answer. */
        private final boolean awaited;

        End(ReleaseAnswer answer, boolean held, boolean awaited) {
            this.answer = answer;
            this.held = held;
            this.awaited = awaited;
        }

        @Override
        public void accept(ReleaseOutcome outcome) {
            answer.found(outcome, held);
            if (awaited) {
                answer.grant().released();
            }
        }
    }

    /** Releases a claim that no request uses. */
    static final class Release extends StoreAction {
        final Claim claim;

        Release(Claim claim) {
            this.claim = claim;
        }
    }

    /** Gives a place in the store's queue up. Answered by {@link LocalQueue#cancelled}. */
    static final class Cancel extends StoreAction {
        final Ask ask;
        final Ticket ticket;

        Cancel(Ask ask, Ticket ticket) {
            this.ask = ask;
            this.ticket = ticket;
        }
    }

    /** Renews a pushed grant of which too little is left, before it is used (L3). Answered by {@code confirmed}. */
    static final class Confirm extends StoreAction {
        final Ask ask;
        final Granted grant;

        Confirm(Ask ask, Granted grant) {
            this.ask = ask;
            this.grant = grant;
        }
    }

    /** Waits for the grant that the store pushes to a place in its queue. Answered by {@code pushed}. */
    static final class AwaitPush extends Action {
        final Ask ask;
        final Ticket ticket;

        AwaitPush(Ask ask, Ticket ticket) {
            this.ask = ask;
            this.ticket = ticket;
        }
    }

    /** A place in the store's queue is wanted for longer: another request has taken it over (L9). */
    static final class Extend extends Action {
        final Ticket ticket;
        final Duration wait;

        Extend(Ticket ticket, Duration wait) {
            this.ticket = ticket;
            this.wait = wait;
        }
    }

    /** Opens a watch. Answered by {@link LocalQueue#watched}. */
    static final class Watch extends Action {
        final StoreRequest request;

        Watch(StoreRequest request) {
            this.request = request;
        }
    }

    /** Starts a pause before the next ask. Answered by {@link LocalQueue#pausing}, ended by {@code pauseOver}. */
    static final class Pause extends Action {
        final StoreRequest request;
        final int number;
        private final PauseLength length;
        private final long longest;

        Pause(StoreRequest request, int number, PauseLength length, long longest) {
            this.request = request;
            this.number = number;
            this.length = length;
            this.longest = longest;
        }

        boolean needsDraw() {
            return length.drawn();
        }

        /** How long, with a random pause that was drawn for it. Not beyond the wait. */
        long nanos(long draw) {
            return Math.max(0, Math.min(length.nanos(draw), longest));
        }
    }

    /** Cancels a timer and closes a watch that are not wanted any more. */
    static final class Discard extends Action {
        final Scheduler.@Nullable Timer timer;
        final WatchableStore.@Nullable Watch watch;

        Discard(Scheduler.@Nullable Timer timer, WatchableStore.@Nullable Watch watch) {
            this.timer = timer;
            this.watch = watch;
        }
    }

    /** Wakes a waiter. Its outcome is set already, so the wake-up may be late, early or repeated. */
    static final class Wake extends Action {
        final Waiter waiter;

        Wake(Waiter waiter) {
            this.waiter = waiter;
        }
    }

    /** The keeper takes a new grant into care, and its waiter is woken. */
    static final class Establish extends Action {
        final HeldGrant grant;
        final Waiter waiter;

        Establish(HeldGrant grant, Waiter waiter) {
            this.grant = grant;
            this.waiter = waiter;
        }
    }

    /** A grant passed to the next waiter without the store: the waiter is woken, and the release is answered. */
    static final class Pass extends Action {
        final HeldGrant grant;
        final Waiter waiter;
        final ReleaseAnswer answer;

        Pass(HeldGrant grant, Waiter waiter, ReleaseAnswer answer) {
            this.grant = grant;
            this.waiter = waiter;
            this.answer = answer;
        }
    }

    /** Arms the end of the wait of a request that no thread waits for. Answered by {@link LocalQueue#armed}. */
    static final class Arm extends Action {
        final Waiter waiter;
        final long nanos;

        Arm(Waiter waiter, long nanos) {
            this.waiter = waiter;
            this.nanos = nanos;
        }
    }

    /** A grant is lost because its queue broke. */
    static final class Lose extends Action {
        final HeldGrant grant;

        Lose(HeldGrant grant) {
            this.grant = grant;
        }
    }

    /** The queue is retired and leaves the client's map. */
    static final class Forget extends Action {
        /** The transition that failed, if that is the reason. */
        final @Nullable Throwable failure;

        Forget(@Nullable Throwable failure) {
            this.failure = failure;
        }
    }

    /** The queue is to be retired later: until then it remembers that this client stands back (L21). */
    static final class RetireLater extends Action {
        final long nanos;

        RetireLater(long nanos) {
            this.nanos = nanos;
        }
    }
}
