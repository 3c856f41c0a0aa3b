package io.holdfast.redlock.vote;

import io.holdfast.LossReason;
import io.holdfast.redlock.node.Quorum;
import io.holdfast.redlock.node.Round;
import io.holdfast.spi.Claim;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Term;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the nodes have said so far of one batch of renewals. Each answer, a line per claim, is read once and when it
 * comes. Thread-safe: an answer may still come while the results are made.
 */
final class RenewalTally {
    private final Quorum quorum;
    private final List<Claim> claims;
    private final List<Of> tallies = new ArrayList<>();
    private int read;
    private int renewed;

    /** Of one claim. */
    private static final class Of {
        final Map<String, Integer> extended = new HashMap<>(2);
        boolean renewed;
        boolean revoked;
        int nothing;
    }

    RenewalTally(Quorum quorum, List<Claim> claims) {
        this.quorum = quorum;
        this.claims = claims;
        claims.forEach(claim -> tallies.add(new Of()));
    }

    /** Whether these answers, of which earlier calls have seen the beginning, renew all of the batch. */
    synchronized boolean allRenewed(List<Round.Answer> answers) {
        for (; read < answers.size(); read++) {
            count(answers.get(read));
        }
        return renewed == claims.size();
    }

    /** Under the monitor. */
    private void count(Round.Answer answer) {
        if (answer.reply() == null) {
            return;
        }
        String[] lines = answer.rest().split("\n");
        for (int i = 0; i < lines.length && i < tallies.size(); i++) {
            Of tally = tallies.get(i);
            String line = lines[i];
            if (line.startsWith("K ") && answer.counts()) {
                // I3: a majority of extensions of one proposal.
                String attempt = line.substring(2, line.indexOf(' ', 2));
                if (tally.extended.merge(attempt, 1, Integer::sum) >= quorum.majority() && !tally.renewed) {
                    tally.renewed = true;
                    renewed++;
                }
            } else if (line.equals("L") || line.equals("X")) {
                tally.nothing++;
                tally.revoked |= line.equals("X");
            }
        }
    }

    /** In the order of the claims: renewed; lost, if so many nodes have nothing that there can be no majority; or neither. */
    synchronized List<RenewResult> results(List<Round.Answer> answers, long sent) {
        allRenewed(answers);
        List<RenewResult> results = new ArrayList<>(claims.size());
        for (int i = 0; i < claims.size(); i++) {
            Claim claim = claims.get(i);
            Of tally = tallies.get(i);
            if (tally.renewed) {
                results.add(new RenewResult.Renewed(Term.of(sent, claim.ttl())));
            } else if (tally.nothing > quorum.size() - quorum.majority()) {
                results.add(new RenewResult.Lost(tally.revoked ? LossReason.REVOKED : LossReason.GONE));
            } else {
                results.add(new RenewResult.Unanswered(quorum.tooFew(claim.lockName(), answers)));
            }
        }
        return results;
    }
}
