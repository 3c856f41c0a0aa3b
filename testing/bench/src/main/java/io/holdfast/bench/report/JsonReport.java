package io.holdfast.bench.report;

import io.holdfast.bench.run.Outcome;
import io.holdfast.bench.run.WorkloadResult;
import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Spread;
import io.holdfast.bench.workload.Workload;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The whole run as JSON: where it ran, every number of every round, medians with their ranges. */
public final class JsonReport {
    private JsonReport() {}

    public static String of(Machine machine, boolean quick, List<WorkloadResult> results) {
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
        Map<String, Object> contestants = new LinkedHashMap<>();
        workload.contestants()
                .forEach(contestant -> contestants.put(contestant.name(), contestant(result, contestant)));
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", workload.id());
        json.put("question", workload.question());
        json.put("warmUpMillis", result.run().warmUp().toMillis());
        json.put("measureMillis", result.run().measure().toMillis());
        json.put("broken", result.isBroken());
        json.put("contestants", contestants);
        json.put("rounds", result.rounds().stream().map(JsonReport::round).toList());
        return json;
    }

    private static Map<String, Object> contestant(WorkloadResult result, Contestant contestant) {
        Map<String, Object> metrics = new LinkedHashMap<>();
        for (String metric : result.metrics(contestant.name())) {
            Map<String, Object> json = new LinkedHashMap<>();
            result.values(contestant.name(), metric).ifPresent(value -> json.putAll(spread(value)));
            result.reference(metric)
                    .filter(peer -> !peer.equals(contestant.name()))
                    .ifPresent(peer -> result.ratios(contestant.name(), metric, peer)
                            .ifPresent(ratio -> json.put("ratio", Map.of("to", peer, "is", spread(ratio)))));
            metrics.put(metric, json);
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("kind", contestant.kind());
        json.put("metrics", metrics);
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

    private static Map<String, Object> spread(Spread spread) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("median", spread.median());
        json.put("min", spread.min());
        json.put("max", spread.max());
        return json;
    }
}
