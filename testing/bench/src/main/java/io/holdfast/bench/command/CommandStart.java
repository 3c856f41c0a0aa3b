package io.holdfast.bench.command;

import io.holdfast.bench.measure.TemporaryFolder;
import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Kind;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import io.holdfast.bench.workload.Workload;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What a user waits for when a command runs under a lock, against the start of a bare JVM. */
public final class CommandStart implements Workload {
    private static final String HELLO = "hello-world JVM";
    private static final String HOLDFAST = "holdfast run";

    /** For {@link java.util.ServiceLoader}. */
    public CommandStart() {}

    @Override
    public String id() {
        return "command-start";
    }

    @Override
    public String question() {
        return "./holdfast run x -- true, from the second run on, against a bare hello-world JVM";
    }

    @Override
    public List<Contestant> contestants() {
        return List.of(new Hello(), new HoldfastRun(HOLDFAST));
    }

    @Override
    public Run fullRun() {
        return new Run(Duration.ofSeconds(2), Duration.ofSeconds(10), false);
    }

    private static final class Hello implements Contestant {
        @Override
        public String name() {
            return HELLO;
        }

        @Override
        public Kind kind() {
            return Kind.FLOOR;
        }

        @Override
        public Measurement measure(Run run) throws Exception {
            try (TemporaryFolder folder = new TemporaryFolder()) {
                Path java = Path.of(System.getProperty("java.home"), "bin", "java");
                copyHelloWorld(folder.path());
                List<String> command =
                        List.of(java.toString(), "-cp", folder.path().toString(), HelloWorld.class.getName());
                return new CommandTimes(command, Map.of(), folder.path()).measure(run);
            }
        }

        /** A folder with one class in it: the class path of the benchmark is not the JVM's fault. */
        private static void copyHelloWorld(Path folder) throws IOException {
            String resource = HelloWorld.class.getName().replace('.', '/') + ".class";
            Path copy = folder.resolve(resource);
            Files.createDirectories(copy.getParent());
            try (InputStream in = HelloWorld.class.getResourceAsStream("/" + resource)) {
                if (in == null) {
                    throw new IOException("no " + resource);
                }
                Files.copy(in, copy);
            }
        }
    }
}
