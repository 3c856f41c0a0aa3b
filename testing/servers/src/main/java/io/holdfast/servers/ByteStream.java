package io.holdfast.servers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The bytes of one connection in one direction: read as they come, kept until they are due, then passed, held or
 * swallowed as the {@link Direction} says at that moment. The end of the stream takes its turn behind the bytes. Only
 * the proxy's thread comes here.
 */
final class ByteStream {
    private static final int CHUNK = 64 * 1024;
    private static final int MOST_WAITING = 4 * 1024 * 1024;

    private enum End {
        NONE,
        ORDERLY,
        RESET
    }

    private record Chunk(long due, ByteBuffer bytes) {}

    private final Direction direction;
    private final SocketChannel source;
    private final SocketChannel sink;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK);
    private final Deque<Chunk> waiting = new ArrayDeque<>();
    private int waitingBytes;
    private End end = End.NONE;
    private long endDue;
    private boolean endPassed;
    private boolean sinkFull;
    private boolean gap;

    ByteStream(Direction direction, SocketChannel source, SocketChannel sink) {
        this.direction = direction;
        this.source = source;
        this.sink = sink;
    }

    /** Reads and delivers what it can without waiting. Fails if the sink is broken. */
    void step() throws IOException {
        read();
        deliver();
    }

    boolean hasGap() {
        return gap;
    }

    boolean isReset() {
        return endPassed && end == End.RESET;
    }

    boolean isFinished() {
        return endPassed;
    }

    int readInterest() {
        return end == End.NONE && waitingBytes < MOST_WAITING ? SelectionKey.OP_READ : 0;
    }

    int writeInterest() {
        return sinkFull ? SelectionKey.OP_WRITE : 0;
    }

    long nanosToNextDelivery() {
        if (direction.flow == Direction.Flow.CUT || sinkFull || endPassed) {
            return Long.MAX_VALUE;
        }
        Chunk first = waiting.peek();
        if (first != null) {
            return first.due - System.nanoTime();
        }
        // After a gap the end is not delivered either: restore() resets the connection.
        return end == End.NONE || gap ? Long.MAX_VALUE : endDue - System.nanoTime();
    }

    private void read() {
        while (readInterest() != 0) {
            buffer.clear();
            int count;
            try {
                count = source.read(buffer);
            } catch (IOException reset) {
                count = -2;
            }
            if (count == 0) {
                return;
            }
            long due = System.nanoTime() + direction.nextDelayNanos();
            if (count < 0) {
                end = count == -1 ? End.ORDERLY : End.RESET;
                endDue = due;
            } else {
                ByteBuffer copy = ByteBuffer.allocate(count);
                copy.put(buffer.flip()).flip();
                waiting.add(new Chunk(due, copy));
                waitingBytes += count;
            }
        }
    }

    private void deliver() throws IOException {
        sinkFull = false;
        long now = System.nanoTime();
        for (Chunk first = waiting.peek(); first != null && first.due - now <= 0; first = waiting.peek()) {
            if (direction.flow == Direction.Flow.CUT) {
                return;
            }
            int before = first.bytes.remaining();
            if (direction.flow == Direction.Flow.DROP) {
                first.bytes.position(first.bytes.limit());
                direction.countSwallowed(before);
                gap = true;
            } else {
                direction.countPassed(sink.write(first.bytes));
            }
            waitingBytes -= before - first.bytes.remaining();
            if (first.bytes.hasRemaining()) {
                sinkFull = true;
                return;
            }
            waiting.remove();
        }
        if (waiting.isEmpty() && end != End.NONE && !endPassed && endDue - now <= 0) {
            deliverEnd();
        }
    }

    private void deliverEnd() throws IOException {
        switch (direction.flow) {
            case CUT -> {}
            case DROP -> gap = true;
            case OPEN -> {
                endPassed = true;
                if (end == End.ORDERLY) {
                    sink.shutdownOutput();
                }
            }
        }
    }
}
