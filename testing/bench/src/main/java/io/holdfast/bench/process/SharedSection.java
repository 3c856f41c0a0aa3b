package io.holdfast.bench.process;

import io.holdfast.bench.measure.Section;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A {@link Section} that several processes enter: the same checks, in a file that all of them map. Violations are counted,
 * not described, because no process knows what the others saw.
 */
public final class SharedSection {
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int SIZE = 4096;

    /** Each on a cache line of its own. */
    private static final int INSIDE = 0;

    private static final int LAST_TOKEN = 64;
    private static final int ENTERED = 128;
    private static final int OVERLAPS = 192;
    private static final int TOKENS_BACK = 256;

    private final ByteBuffer memory;

    private SharedSection(ByteBuffer memory) {
        this.memory = memory;
    }

    /** Maps the file, which begins as zeros if it is new. */
    public static SharedSection in(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new SharedSection(channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE));
        }
    }

    /** Enters and leaves. {@code who} is the number of a thread, not zero and different for every thread of every process; a token of 0 is none. */
    public void pass(long who, long token) {
        enter(who, token);
        leave(who);
    }

    /** Enters under this fencing token; 0 is none. */
    public void enter(long who, long token) {
        enter(who);
        if (token != 0) {
            long last = (long) LONGS.getVolatile(memory, LAST_TOKEN);
            if (token <= last) {
                count(TOKENS_BACK);
            }
            LONGS.setVolatile(memory, LAST_TOKEN, token);
        }
    }

    public void enter(long who) {
        if ((long) LONGS.getVolatile(memory, INSIDE) != 0) {
            count(OVERLAPS);
        }
        LONGS.setVolatile(memory, INSIDE, who);
        // Not atomic on purpose: an update that gets lost shows that two were inside.
        LONGS.setVolatile(memory, ENTERED, (long) LONGS.getVolatile(memory, ENTERED) + 1);
    }

    public void leave(long who) {
        if ((long) LONGS.getVolatile(memory, INSIDE) != who) {
            count(OVERLAPS);
        }
        LONGS.setVolatile(memory, INSIDE, 0L);
    }

    /** What went wrong, given how often threads of all processes say that they entered. */
    public List<String> violations(long passes) {
        List<String> found = new ArrayList<>();
        long overlaps = (long) LONGS.getVolatile(memory, OVERLAPS);
        long tokens = (long) LONGS.getVolatile(memory, TOKENS_BACK);
        long entered = (long) LONGS.getVolatile(memory, ENTERED);
        if (overlaps > 0) {
            found.add("two were inside, seen " + overlaps + " times");
        }
        if (tokens > 0) {
            found.add(tokens + " tokens did not grow");
        }
        if (entered != passes) {
            found.add(passes + " passes left the unprotected counter at " + entered);
        }
        return found;
    }

    private void count(int what) {
        LONGS.getAndAdd(memory, what, 1L);
    }
}
