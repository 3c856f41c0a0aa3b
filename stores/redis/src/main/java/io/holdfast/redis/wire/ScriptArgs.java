package io.holdfast.redis.wire;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The arguments of {@code EVALSHA}; the last one is the request's tag. */
final class ScriptArgs extends CommandArgs<String, String> {
    /** The digest, the number of keys and the frame of the tag. */
    private static final int HEAD = 80;

    private final WireText text;
    private final String firstKey;
    private final int count;

    ScriptArgs(LuaScript script, String[] keys, String[] args, String tag) {
        super(StringCodec.UTF8);
        text = new WireText(HEAD + WireText.roomFor(keys) + WireText.roomFor(args) + tag.length());
        text.add(script.digest()).add(keys.length);
        for (String key : keys) {
            text.add(key);
        }
        for (String arg : args) {
            text.add(arg);
        }
        text.add(tag);
        firstKey = keys[0];
        count = 2 + keys.length + args.length + 1;
    }

    @Override
    public int count() {
        return count;
    }

    /** The client of a cluster finds the node by this key. */
    @Override
    public ByteBuffer getFirstEncodedKey() {
        return ByteBuffer.wrap(firstKey.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void encode(ByteBuf buffer) {
        text.writeTo(buffer);
    }
}
