package io.holdfast.tck;

import java.io.IOException;

/** Measures its own starvation between two lines that {@link RepeatWhenStarvedTest} sends. */
final class StarvedProcess {
    private StarvedProcess() {}

    public static void main(String[] arguments) throws IOException {
        Starvation starvation = Starvation.begin();
        System.out.println("measuring");
        if (System.in.read() >= 0) {
            System.out.println(starvation.verdict().orElse("not starved"));
        }
    }
}
