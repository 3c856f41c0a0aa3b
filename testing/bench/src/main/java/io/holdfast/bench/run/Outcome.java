package io.holdfast.bench.run;

import io.holdfast.bench.workload.Measurement;

/** The outcome of one contestant in one round. */
public sealed interface Outcome {
    /** It was measured, rightly or wrongly. */
    record Measured(Measurement measurement) implements Outcome {}

    /** Its JVM failed or did not end in time. */
    record Failed(String why) implements Outcome {}

    /** It cannot take part on this machine. */
    record Skipped(String why) implements Outcome {}
}
