package io.holdfast.cli.output;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the command prints and asks. Colour goes to a terminal only, and not there if {@code NO_COLOR} is set. */
public final class Terminal {
    private final PrintStream out;
    private final PrintStream err;
    private boolean debug;

    private Terminal(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /** Of this process: UTF-8 whatever the locale says. */
    public static Terminal system() {
        return new Terminal(stream(FileDescriptor.out), stream(FileDescriptor.err));
    }

    /** With other streams. */
    public static Terminal of(PrintStream out, PrintStream err) {
        return new Terminal(out, err);
    }

    /** Prints a line of the result. */
    public void print(String line) {
        out.println(line);
        out.flush();
    }

    /** Whether the result has no reader any more, as in {@code holdfast watch | head}. */
    public boolean isClosed() {
        return out.checkError();
    }

    /** Tells people something that is not the result. */
    public void warn(String message) {
        err.println("holdfast: " + oneLine(message));
        err.flush();
    }

    /** Shows where an error came from, if {@code --debug} was given. */
    public void trace(Throwable error) {
        if (debug) {
            error.printStackTrace(err);
            err.flush();
        }
    }

    /** From now on errors are shown with where they came from. */
    public void debug() {
        debug = true;
    }

    /** Whether the result is looked at by a person. */
    public boolean outIsTerminal() {
        return isTerminal(1);
    }

    /** Whether a question can be answered: input and output are a terminal. */
    public boolean canAsk() {
        return isTerminal(0) && isTerminal(2);
    }

    /** Asks on the terminal; only a clear yes is one. */
    public boolean ask(String question) {
        err.print("holdfast: " + question + " [y/N] ");
        err.flush();
        try {
            BufferedReader in = new BufferedReader(
                    new InputStreamReader(new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8));
            String answer = in.readLine();
            return answer != null && answer.strip().matches("(?i)y|yes");
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether the result may be coloured. */
    public boolean colours() {
        String no = System.getenv("NO_COLOR");
        return (no == null || no.isEmpty()) && !"dumb".equals(System.getenv("TERM")) && outIsTerminal();
    }

    /** {@code text} on one line and without what could drive a terminal. */
    public static String oneLine(String text) {
        StringBuilder line = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (c == '\n' || c == '\r' || c == '\t') {
                line.append(' ');
            } else {
                line.appendCodePoint(Character.isISOControl(c) ? '?' : c);
            }
        });
        return line.toString().strip();
    }

    private static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException e) {
            return false;
        }
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), false, StandardCharsets.UTF_8);
    }
}
