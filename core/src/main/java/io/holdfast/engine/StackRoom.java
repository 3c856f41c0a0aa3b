package io.holdfast.engine;

/**
 * Looks whether the calling thread's stack has room for a request, before the request changes anything (L13).
 *
 * <p>A {@link StackOverflowError} may come at any call, also inside a {@code finally}: a lock of the timers' queue was
 * then never given back, and the client had no timers and no connection any more. No handler can mend that. So a caller
 * that has used up its stack gets the error here, where nothing has happened yet.
 */
final class StackRoom {
    /** Of 80 bytes at least when compiled, and more when interpreted: 16 KB at least. */
    private static final int FRAMES = 200;

    private StackRoom() {}

    /** Throws {@link StackOverflowError} if there is little left. Takes less than half a microsecond. */
    static void check() {
        if (touch(FRAMES, 1, 2, 3, 4, 5, 6) == 0) {
            throw new AssertionError("the sum of what is counted down is positive");
        }
    }

    /** The arguments change places, so that each frame has to keep them, and something is left to do after the call. */
    private static long touch(int left, long a, long b, long c, long d, long e, long f) {
        return left == 0 ? a : touch(left - 1, b, c, d, e, f, a) + (b ^ c) + (d ^ e) + f;
    }
}
