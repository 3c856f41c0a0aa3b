package io.holdfast.servers;

import java.nio.file.Files;
import java.nio.file.Path;

/** Fetches, before tests begin, the servers that no Maven artifact contains, and says what it does. */
final class Download {
    private Download() {}

    /** Ends with status 1 if a server cannot be had; the message says what to do. */
    public static void main(String[] arguments) {
        Path cache = DebianFile.cacheFolder(System.getenv());
        try {
            if (!EtcdBinary.isThere(System.getenv(), cache)) {
                System.out.println("Fetching etcd (Debian's package etcd-server, about 15 MB) into " + cache + " ...");
                long start = System.nanoTime();
                Path binary = EtcdBinary.find();
                System.out.printf(
                        "  %s, %d MB unpacked, after %.0f s%n",
                        binary, Files.size(binary) >> 20, (System.nanoTime() - start) / 1e9);
            }
        } catch (java.io.IOException | ServerStartException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }
}
