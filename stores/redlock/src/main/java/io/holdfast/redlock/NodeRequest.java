package io.holdfast.redlock;

import io.holdfast.redis.wire.LuaScript;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * One script call as it goes to every node. Only the run id differs between the nodes (U9), so everything before and after
 * it is put into the form of the wire once and not once per node.
 */
final class NodeRequest {
    private static final byte[] LINE_END = {'\r', '\n'};

    private final LuaScript script;
    private final String[] keys;
    private final String[] args;
    private final long timeoutNanos;
    private final byte[] before;
    private final byte[] after;

    /**
     * @param keys the keys it touches
     * @param args the arguments after the run id
     */
    NodeRequest(LuaScript script, String[] keys, long timeoutNanos, String... args) {
        this.script = script;
        this.keys = keys;
        this.args = args;
        this.timeoutNanos = timeoutNanos;
        ByteArrayOutputStream head = new ByteArrayOutputStream(256);
        put(head, script.digest());
        put(head, Integer.toString(keys.length));
        for (String key : keys) {
            put(head, key);
        }
        this.before = head.toByteArray();
        ByteArrayOutputStream tail = new ByteArrayOutputStream(384);
        for (String arg : args) {
            put(tail, arg);
        }
        this.after = tail.toByteArray();
    }

    String source() {
        return script.source();
    }

    String[] keys() {
        return keys;
    }

    long timeoutNanos() {
        return timeoutNanos;
    }

    /** All arguments of the script, for a node that does not know it by its digest. */
    String[] allArgs(String runId) {
        String[] all = new String[args.length + 1];
        all[0] = runId;
        System.arraycopy(args, 0, all, 1, args.length);
        return all;
    }

    /** The arguments of {@code EVALSHA} for the node of this run id. */
    CommandArgs<String, String> encodedFor(String runId) {
        return new Encoded(runId);
    }

    private static void put(ByteArrayOutputStream out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.write('$');
        out.writeBytes(Integer.toString(bytes.length).getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(LINE_END);
        out.writeBytes(bytes);
        out.writeBytes(LINE_END);
    }

    private final class Encoded extends CommandArgs<String, String> {
        private final byte[] own;

        Encoded(String runId) {
            super(StringCodec.UTF8);
            ByteArrayOutputStream out = new ByteArrayOutputStream(64);
            put(out, runId);
            own = out.toByteArray();
        }

        @Override
        public int count() {
            return 2 + keys.length + 1 + args.length;
        }

        @Override
        public void encode(ByteBuf buffer) {
            buffer.writeBytes(before).writeBytes(own).writeBytes(after);
        }
    }
}
