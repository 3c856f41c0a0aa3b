package io.holdfast.bench;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The best peer of a workload in one metric, and how ours compare with it.
 *
 * @param name who it is: the peer with the best median among those that did nothing wrong in any round
 * @param metric in what
 * @param value its number over the rounds
 * @param ours the number of each of our contestants divided by the peer's within each round, by name
 */
public record BestPeer(String name, String metric, Spread value, Map<String, Spread> ours) {
    /** Of every metric that a sound peer has, in the order of the metrics. */
    static Map<String, BestPeer> of(WorkloadResult result) {
        Map<String, BestPeer> best = new LinkedHashMap<>();
        for (String metric : result.metrics()) {
            find(result, metric).ifPresent(peer -> best.put(metric, peer));
        }
        return best;
    }

    private static Optional<BestPeer> find(WorkloadResult result, String metric) {
        Comparator<BestPeer> byMedian =
                Comparator.comparingDouble(peer -> peer.value().median());
        List<BestPeer> peers = result.workload().contestants().stream()
                .filter(contestant -> contestant.kind() == Kind.PEER && !result.isBroken(contestant.name()))
                .flatMap(contestant -> result.values(contestant.name(), metric).stream()
                        .map(value -> new BestPeer(contestant.name(), metric, value, Map.of())))
                .toList();
        Optional<BestPeer> best = result.workload().moreIsBetter(metric)
                ? peers.stream().max(byMedian)
                : peers.stream().min(byMedian);
        return best.map(peer -> new BestPeer(peer.name, metric, peer.value, ours(result, metric, peer.name)));
    }

    private static Map<String, Spread> ours(WorkloadResult result, String metric, String peer) {
        Map<String, Spread> ours = new LinkedHashMap<>();
        result.workload().contestants().stream()
                .filter(contestant -> contestant.kind() == Kind.HOLDFAST && !result.isBroken(contestant.name()))
                .forEach(contestant -> result.ratios(contestant.name(), metric, peer)
                        .ifPresent(spread -> ours.put(contestant.name(), spread)));
        return ours;
    }
}
