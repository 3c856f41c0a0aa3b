package io.holdfast.engine.runtime;

/**
 * Looks whether the calling thread's stack has room for a request, before the request changes anything (L13).
 *
 * <p>A {@link StackOverflowError} may come at any call, also inside a {@code finally}, where no handler can mend what it
 * leaves. A client of Redis was seen without a connection for good after such errors; which step was cut short is not
 * known. A caller that has used up its stack gets the error here, where nothing has happened yet.
 */
public final class StackRoom {
    /** How many bytes a frame has depends on the compiler; more than a hundred frames of a small method are left. */
    private static final int FRAMES = 200;

    private StackRoom() {}

    /** Throws {@link StackOverflowError} if there is little left. Takes less than half a microsecond. */
    public static void check() {
        if (touch(FRAMES, 1, 2, 3, 4, 5, 6) == 0) {
            throw new AssertionError("the sum of what is counted down is positive");
        }
    }

    /** The arguments change places, so that each frame has to keep them, and something is left to do after the call. */
    private static long touch(int left, long a, long b, long c, long d, long e, long f) {
        return left == 0 ? a : touch(left - 1, b, c, d, e, f, a) + (b ^ c) + (d ^ e) + f;
    }
}
