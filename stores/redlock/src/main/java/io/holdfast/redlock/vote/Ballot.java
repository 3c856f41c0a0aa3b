package io.holdfast.redlock.vote;

import io.holdfast.Holder;
import io.holdfast.redlock.node.Reply;
import io.holdfast.redlock.node.Round;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Refused;
import io.holdfast.spi.Term;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The count of one proposal: how many nodes said yes, and if too few did, why.
 *
 * <p>Only counted nodes have a vote (U7, U9), and only a vote that was cast while its node counted is one: the fence of
 * a node that has not relearned is too low, and a vote cast under it stays void when it is repeated later (the model in
 * {@code spec} shows the two equal tokens). A bare majority of yes decides, whatever the others will say.
 */
public final class Ballot {
    private final Claim claim;
    private final Proposals.Proposal proposal;
    private final int nodes;
    private final int majority;
    private final long withinNanos;

    /** @param withinNanos how long after its sending a proposal can be granted, whatever its TTL */
    public Ballot(Claim claim, Proposals.Proposal proposal, int nodes, long withinNanos) {
        this.claim = claim;
        this.proposal = proposal;
        this.nodes = nodes;
        this.majority = nodes / 2 + 1;
        this.withinNanos = withinNanos;
    }

    /** Whether more answers would change nothing: a majority said yes, or can no longer. */
    public boolean decided(List<Round.Answer> answers) {
        if (yes(answers) >= majority || repeated(answers, 0).isPresent()) {
            return true;
        }
        return count(answers, 'R') + count(answers, 'W') > nodes - majority;
    }

    /**
     * The grant, if there is one and something is left of it at {@code now}. Without quarantine it also has to be decided
     * before a node that forgot its vote may relearn: a vote that the node has forgotten and that counts afterwards would
     * be one that the relearned fences do not know of (the model in {@code spec} shows the token that goes back).
     */
    public Optional<Granted> grant(List<Round.Answer> answers, long sent, long now) {
        Optional<Granted> grant = yes(answers) >= majority
                ? Optional.of(new Granted(proposal.token(), proposal.span(), Term.of(sent, claim.ttl())))
                : repeated(answers, sent);
        long taken = now - sent;
        return grant.filter(found -> found.term().nanos() - drift(claim.ttl().toNanos()) - taken > 0)
                .filter(found -> withinNanos - drift(withinNanos) - taken > 0);
    }

    /** 1 % of the time and 2 ms, as the engine counts it. */
    private static long drift(long nanos) {
        return nanos / 100 + TimeUnit.MILLISECONDS.toNanos(2);
    }

    /** Whether a majority of the nodes counts and answered, and has this client's settings (U33). */
    public boolean quorate(List<Round.Answer> answers) {
        return answers.stream()
                        .filter(answer -> answer.counts() && verdict(answer) != 'M')
                        .count()
                >= majority;
    }

    /** Whether so many nodes found the token too far ahead of their clocks that the others are no majority (U27). */
    public boolean tooFarAhead(List<Round.Answer> answers) {
        return count(answers, 'A') > nodes - majority;
    }

    public boolean withdrawn(List<Round.Answer> answers) {
        return answers.stream().anyMatch(answer -> verdict(answer) == 'W');
    }

    /** Whether one other holder, or votes that no release will take away soon, are in the way at a majority. */
    public boolean blocked(List<Round.Answer> answers) {
        Map<String, Integer> holders = new HashMap<>();
        for (Round.Answer answer : answers) {
            Reply.Vote vote = obstacle(answer);
            if (vote != null
                    && holders.merge(vote.inForce() ? vote.id() : "delay", 1, Integer::sum) > nodes - majority) {
                return true;
            }
        }
        return false;
    }

    /** The highest fence that any node named. */
    public long highestFence(List<Round.Answer> answers) {
        return fences(answers, answer -> true);
    }

    /** The highest fence of the nodes that found the token too far ahead: a node whose own clock is ahead has no say. */
    public long highestFenceBehind(List<Round.Answer> answers) {
        return fences(answers, answer -> verdict(answer) == 'A');
    }

    private static long fences(List<Round.Answer> answers, Predicate<Round.Answer> of) {
        return answers.stream()
                .filter(answer -> answer.reply() != null && of.test(answer))
                .mapToLong(answer -> Long.parseLong(answer.rest().split(" ", 2)[0]))
                .max()
                .orElse(0);
    }

    public Refused refusal(List<Round.Answer> answers) {
        Holder holder = null;
        long closed = -1;
        boolean delay = false;
        for (Round.Answer answer : answers) {
            Reply.Vote vote = obstacle(answer);
            if (vote != null) {
                closed = Math.max(closed, vote.closedMillis());
                delay |= !vote.inForce();
                holder = vote.inForce() ? vote.holder() : holder;
            }
        }
        // The nodes round up, so that a claim that asks again then finds it over; one millisecond less may remain.
        Duration remaining = closed <= 0 ? null : Duration.ofMillis(closed - 1);
        boolean inDelay = delay && holder == null;
        return new Refused(holder, remaining, inDelay, inDelay && closed > 0 ? Duration.ofMillis(closed) : null);
    }

    /** An earlier try of the same claim that has its majority (S4): answered as it was, with what is left of it. */
    private Optional<Granted> repeated(List<Round.Answer> answers, long sent) {
        Map<String, Integer> tries = new HashMap<>();
        Map<String, Long> left = new HashMap<>();
        for (Round.Answer answer : answers) {
            if (answer.counts() && verdict(answer) == 'O') {
                Reply.Vote vote = Reply.Vote.parse(answer.rest().split(" ", 3)[2]);
                long remaining =
                        left.merge(vote.attempt(), vote.holder().remaining().toNanos(), Math::min);
                if (vote.firm() && tries.merge(vote.attempt(), 1, Integer::sum) >= majority) {
                    return Optional.of(new Granted(
                            vote.holder().token(), vote.holder().span(), new Term(sent, Math.max(1, remaining))));
                }
            }
        }
        return Optional.empty();
    }

    private int yes(List<Round.Answer> answers) {
        int yes = 0;
        for (Round.Answer answer : answers) {
            if (answer.counts() && verdict(answer) == 'Y' && answer.rest().endsWith(" .")) {
                yes++;
            }
        }
        return yes;
    }

    private int count(List<Round.Answer> answers, char verdict) {
        return (int) answers.stream()
                .filter(answer -> answer.counts() && verdict(answer) == verdict)
                .count();
    }

    private Reply.@Nullable Vote obstacle(Round.Answer answer) {
        if (!answer.counts() || verdict(answer) != 'R') {
            return null;
        }
        return Reply.Vote.parse(answer.rest().split(" ", 3)[2]);
    }

    /** The answer is {@code fence verdict …}. */
    private static char verdict(Round.Answer answer) {
        String rest = answer.rest();
        int space = rest.indexOf(' ');
        return space < 0 ? '-' : rest.charAt(space + 1);
    }
}
