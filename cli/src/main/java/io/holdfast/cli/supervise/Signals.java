package io.holdfast.cli.supervise;

import java.util.function.Consumer;
import sun.misc.Signal;

/** The signals that end a program politely. One that this process was started to ignore stays ignored. */
// sun.misc.Signal is the only way to a signal in Java; the module jdk.unsupported has kept it in every JDK so far.
public enum Signals {
    /** The terminal has gone. */
    HUP(1),
    /** Ctrl-C. */
    INT(2),
    /** Please end. */
    TERM(15);

    private final int number;

    Signals(int number) {
        this.number = number;
    }

    /** What a shell shows of a process that died of this signal. */
    public int exitCode() {
        return 128 + number;
    }

    /** Tells {@code ear} of each of these signals from now on, on a thread of its own. */
    public static void listen(Consumer<Signals> ear) {
        for (Signals signal : values()) {
            Signal.handle(new Signal(signal.name()), ignored -> ear.accept(signal));
        }
    }
}
