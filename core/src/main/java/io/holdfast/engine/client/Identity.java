package io.holdfast.engine.client;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The name of this process in messages and listings. */
final class Identity {
    private static final int LONGEST_HOST = 64;

    private Identity() {}

    /** Host, process id and the name the user gave, as in {@code web-3:4711 importer}. */
    static String label(@Nullable String name) {
        String process = host() + ":" + ProcessHandle.current().pid();
        return name == null || name.isEmpty() ? process : process + " " + name;
    }

    /** The host's name without asking a name server, which may take seconds. */
    private static String host() {
        String host = Optional.ofNullable(System.getenv("HOSTNAME"))
                .or(Identity::kernelHost)
                .map(text -> text.replaceAll("[^A-Za-z0-9._-]", ""))
                .filter(text -> !text.isEmpty())
                .orElse("localhost");
        return host.length() <= LONGEST_HOST ? host : host.substring(0, LONGEST_HOST);
    }

    private static Optional<String> kernelHost() {
        try {
            return Optional.of(Files.readString(Path.of("/proc/sys/kernel/hostname")));
        } catch (java.io.IOException | SecurityException e) {
            return Optional.empty();
        }
    }
}
