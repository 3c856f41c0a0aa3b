package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Which process has a socket, as Linux tells in {@code /proc}. */
final class SocketOwner {
    private static final int LOCAL_ADDRESS = 1;
    private static final int INODE = 9;

    private SocketOwner() {}

    /** Whether this process has the TCP socket that is bound to this port of 127.0.0.1. */
    static boolean has(long pid, int port) {
        String end = "0100007F:" + String.format(Locale.ROOT, "%04X", port);
        return inodeOf("tcp", end)
                .or(() -> inodeOf("tcp6", "0000000000000000FFFF0000" + end))
                .filter(inode -> has(pid, "socket:[" + inode + "]"))
                .isPresent();
    }

    private static Optional<String> inodeOf(String table, String address) {
        Path file = Path.of("/proc/net", table);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try (Stream<String> lines = Files.lines(file)) {
            return lines.map(line -> line.strip().split("\\s+"))
                    .filter(fields -> fields.length > INODE && fields[LOCAL_ADDRESS].equals(address))
                    .map(fields -> fields[INODE])
                    .filter(inode -> !inode.equals("0"))
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException("who has the socket " + address + " cannot be told", e);
        }
    }

    private static boolean has(long pid, String socket) {
        try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            return files.anyMatch(file -> socket.equals(target(file)));
        } catch (IOException gone) {
            return false;
        }
    }

    private static String target(Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (IOException closedMeanwhile) {
            return "";
        }
    }
}
