package io.holdfast.redlock.node;

import io.holdfast.redis.wire.LuaScript;
import io.holdfast.redis.wire.WireText;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;

/**
 * One script call as it goes to every node. Only the run id differs between the nodes (U9), so everything before and after
 * it is put into the form of the wire once and not once per node.
 */
public final class NodeRequest {
    private final LuaScript script;
    private final String[] keys;
    private final String[] args;
    private final String tag;
    private final long timeoutNanos;
    private final WireText before = new WireText(256);
    private final WireText after = new WireText(384);

    /**
     * @param keys the keys it touches
     * @param args the arguments after the run id; the last one is the tag that the answer begins with (U29)
     */
    NodeRequest(LuaScript script, String[] keys, long timeoutNanos, String... args) {
        this.script = script;
        this.keys = keys;
        this.args = args;
        this.tag = args[args.length - 1];
        this.timeoutNanos = timeoutNanos;
        before.add(script.digest()).add(keys.length);
        for (String key : keys) {
            before.add(key);
        }
        for (String arg : args) {
            after.add(arg);
        }
    }

    String source() {
        return script.source();
    }

    String[] keys() {
        return keys;
    }

    String tag() {
        return tag;
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

    private final class Encoded extends CommandArgs<String, String> {
        private final WireText own = new WireText(64);

        Encoded(String runId) {
            super(StringCodec.UTF8);
            own.add(runId);
        }

        @Override
        public int count() {
            return 2 + keys.length + 1 + args.length;
        }

        @Override
        public void encode(ByteBuf buffer) {
            before.writeTo(buffer);
            own.writeTo(buffer);
            after.writeTo(buffer);
        }
    }
}
