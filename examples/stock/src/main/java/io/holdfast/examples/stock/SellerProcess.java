package io.holdfast.examples.stock;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A {@link Seller} in a JVM of its own, which can be stopped as a machine stops it: without being asked. */
final class SellerProcess implements AutoCloseable {
    private final int number;
    private final Process process;
    private final BufferedReader out;
    private final BufferedWriter in;

    SellerProcess(int number, String jdbcUrl, String lockUrl) throws IOException {
        this.number = number;
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx96m",
                        "-Dorg.sqlite.tmpdir="
                                + System.getProperty("org.sqlite.tmpdir", System.getProperty("java.io.tmpdir")),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Seller.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        in = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
        say(number + "\n" + jdbcUrl + "\n" + lockUrl);
    }

    void say(String line) throws IOException {
        in.write(line + "\n");
        in.flush();
    }

    /** The next line it prints. */
    String hear() throws IOException {
        String line = out.readLine();
        if (line == null) {
            throw new IOException("seller " + number + " has ended; its complaint is above");
        }
        return line;
    }

    /** SIGSTOP: not one instruction of it runs, also not the renewal of its lease. */
    void stop() throws IOException {
        signal("STOP");
    }

    /** SIGCONT. */
    void resume() throws IOException {
        signal("CONT");
    }

    @Override
    public void close() {
        process.destroyForcibly(); // also ends a stopped one
    }

    private void signal(String name) throws IOException {
        Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        if (kill.onExit().join().exitValue() != 0) {
            throw new IOException("could not send SIG" + name + " to seller " + number);
        }
    }
}
