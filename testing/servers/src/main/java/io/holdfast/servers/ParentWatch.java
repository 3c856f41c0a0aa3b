package io.holdfast.servers;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Ends a server when this JVM dies in a way that runs no shutdown hook ({@code kill -9}, out of memory, a crash).
 *
 * <p>A shell waits on a pipe whose other end only this JVM holds. A line means "stand down"; the end of the pipe without
 * one means that the JVM is gone, whatever the reason, and the shell kills the server at once and removes its folder.
 * Nothing polls. The watch is there before the server is, so that the gap in which a death goes unnoticed is one system call.
 */
final class ParentWatch implements AutoCloseable {
    private static final String SCRIPT =
            "trap '' INT TERM HUP; read -r pid || exit 0; read -r line && exit 0; kill -KILL \"$pid\"; rm -rf -- \"$0\"";

    private final Process shell;
    private final OutputStream pipe;
    private boolean watching;

    private ParentWatch(Process shell) {
        this.shell = shell;
        this.pipe = shell.getOutputStream();
    }

    static ParentWatch start(Path folder) throws IOException {
        return new ParentWatch(new ProcessBuilder("sh", "-c", SCRIPT, folder.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start());
    }

    synchronized void over(long pid) throws IOException {
        say(Long.toString(pid));
        watching = true;
    }

    /** The server is gone: the watch must never fire at whoever gets its process id next. */
    @Override
    public synchronized void close() {
        try (pipe) {
            if (watching) {
                watching = false;
                say("stand down");
            }
        } catch (IOException alreadyGone) {
            // The shell was killed from outside, so that there is nothing left to stand down.
            shell.destroyForcibly();
        }
    }

    private void say(String line) throws IOException {
        pipe.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        pipe.flush();
    }
}
