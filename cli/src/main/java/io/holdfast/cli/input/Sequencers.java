package io.holdfast.cli.input;

import io.holdfast.Sequencer;
import io.holdfast.cli.supervise.RunEnvironment;

/** Where a sequencer comes from: the command line, else the environment that {@code run} gives. */
public final class Sequencers {
    private Sequencers() {}

    public static Sequencer of(String given) {
        String text = given;
        if (text.isEmpty()) {
            String variable = System.getenv(RunEnvironment.SEQUENCER);
            if (variable == null || variable.isEmpty()) {
                throw new UsageException("no sequencer: give one, or call this from a command under holdfast run,"
                        + " which sets $" + RunEnvironment.SEQUENCER);
            }
            text = variable;
        }
        return Sequencer.parse(text);
    }
}
