package io.holdfast.redis.wire;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The arguments of {@code EVALSHA}. */
final class ScriptArgs extends CommandArgs<String, String> {
    /** The digest and the number of keys. */
    private static final int HEAD = 64;

    private final WireText text;
    private final String firstKey;
    private final int count;

    ScriptArgs(LuaScript script, String[] keys, String[] args) {
        super(StringCodec.UTF8);
        text = new WireText(HEAD + WireText.roomFor(keys) + WireText.roomFor(args));
        text.add(script.digest()).add(keys.length);
        for (String key : keys) {
            text.add(key);
        }
        for (String arg : args) {
            text.add(arg);
        }
        firstKey = keys[0];
        count = 2 + keys.length + args.length;
    }

    @Override
    public int count() {
        return count;
    }

    /** By which a cluster's client finds the node. */
    @Override
    public ByteBuffer getFirstEncodedKey() {
        return ByteBuffer.wrap(firstKey.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void encode(ByteBuf buffer) {
        text.writeTo(buffer);
    }
}
