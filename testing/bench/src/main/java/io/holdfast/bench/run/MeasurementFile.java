package io.holdfast.bench.run;

import io.holdfast.bench.workload.Measurement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How a measurement travels from the JVM that measured to the harness: a line per number and per violation. */
public final class MeasurementFile {
    private static final String END = "end";

    private MeasurementFile() {}

    public static void write(Path file, Measurement measurement) throws IOException {
        List<String> lines = new ArrayList<>();
        measurement.values().forEach((metric, value) -> lines.add("value\t" + value + "\t" + metric));
        measurement.violations().forEach(text -> lines.add("violation\t" + text.replaceAll("\\s+", " ")));
        lines.add(END);
        Files.write(file, lines);
    }

    /** Reads what was written; a file without its last line is an error, not a short measurement. */
    public static Measurement read(Path file) throws IOException {
        Map<String, Double> values = new LinkedHashMap<>();
        List<String> violations = new ArrayList<>();
        List<String> lines = Files.readAllLines(file);
        if (lines.isEmpty() || !lines.get(lines.size() - 1).equals(END)) {
            throw new IOException("the measurement is incomplete");
        }
        for (String line : lines.subList(0, lines.size() - 1)) {
            String[] parts = line.split("\t", 3);
            if (parts.length == 3 && parts[0].equals("value")) {
                values.put(parts[2], Double.parseDouble(parts[1]));
            } else if (parts.length == 2 && parts[0].equals("violation")) {
                violations.add(parts[1]);
            } else {
                throw new IOException("not a line of a measurement: " + line);
            }
        }
        return new Measurement(values, violations);
    }
}
