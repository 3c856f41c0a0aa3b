package io.holdfast.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The whole run for machines: where it ran, every number of every round, and what the bars say. */
final class JsonReport {
    private JsonReport() {}

    static String of(Machine machine, boolean quick, List<WorkloadResult> results) {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("date", machine.date().toString());
        report.put("quick", quick);
        report.put("jdk", machine.jdk());
        report.put("os", machine.os());
        report.put("cpu", machine.cpu());
        report.put("cores", machine.cores());
        report.put("loadBefore", machine.load());
        report.put("commit", machine.commit());
        report.put("versions", machine.versions());
        report.put("workloads", results.stream().map(JsonReport::workload).toList());
        return Json.write(report);
    }

    private static Map<String, Object> workload(WorkloadResult result) {
        Workload workload = result.workload();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", workload.id());
        json.put("question", workload.question());
        json.put("baseline", workload.baseline());
        json.put("warmUpMillis", result.run().warmUp().toMillis());
        json.put("measureMillis", result.run().measure().toMillis());
        json.put("contestants", contestants(workload));
        json.put("broken", result.isBroken());
        json.put("rounds", result.rounds().stream().map(JsonReport::round).toList());
        json.put("ratios", ratios(result));
        json.put("bestPeers", bestPeers(result));
        List<Object> bars = new ArrayList<>();
        result.bars().forEach((bar, judged) -> bars.add(bar(bar, judged, workload.baseline())));
        json.put("bars", bars);
        return json;
    }

    private static Map<String, Object> contestants(Workload workload) {
        Map<String, Object> json = new LinkedHashMap<>();
        workload.contestants().forEach(contestant -> json.put(contestant.name(), contestant.kind()));
        return json;
    }

    private static Map<String, Object> bestPeers(WorkloadResult result) {
        Map<String, Object> json = new LinkedHashMap<>();
        BestPeer.of(result).forEach((metric, best) -> {
            Map<String, Object> ours = new LinkedHashMap<>();
            best.ours().forEach((name, ratio) -> ours.put(name, spread(ratio)));
            Map<String, Object> peer = new LinkedHashMap<>();
            peer.put("name", best.name());
            peer.put("value", spread(best.value()));
            peer.put("ratios", ours);
            json.put(metric, peer);
        });
        return json;
    }

    private static Map<String, Object> round(Map<String, Outcome> round) {
        Map<String, Object> json = new LinkedHashMap<>();
        round.forEach((name, outcome) -> json.put(name, outcome(outcome)));
        return json;
    }

    private static Map<String, Object> outcome(Outcome outcome) {
        if (outcome instanceof Outcome.Measured measured) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("values", measured.measurement().values());
            json.put("violations", measured.measurement().violations());
            return json;
        }
        return outcome instanceof Outcome.Failed failed
                ? Map.of("failed", failed.why())
                : Map.of("skipped", ((Outcome.Skipped) outcome).why());
    }

    private static Map<String, Object> ratios(WorkloadResult result) {
        Map<String, Object> json = new LinkedHashMap<>();
        for (Contestant contestant : result.workload().contestants()) {
            Map<String, Object> metrics = new LinkedHashMap<>();
            for (String metric : result.metrics(contestant.name())) {
                result.ratios(contestant.name(), metric).ifPresent(spread -> metrics.put(metric, spread(spread)));
            }
            if (!contestant.name().equals(result.workload().baseline()) && !metrics.isEmpty()) {
                json.put(contestant.name(), metrics);
            }
        }
        return json;
    }

    private static Map<String, Object> bar(Bar bar, Bar.Result judged, String baseline) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("bar", bar.text(baseline));
        json.put("verdict", judged.verdict());
        Spread spread = judged.spread();
        if (spread != null) {
            json.putAll(spread(spread));
        }
        json.put("rounds", judged.rounds());
        if (!judged.reason().isEmpty()) {
            json.put("reason", judged.reason());
        }
        return json;
    }

    private static Map<String, Object> spread(Spread spread) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("median", spread.median());
        json.put("min", spread.min());
        json.put("max", spread.max());
        return json;
    }
}
