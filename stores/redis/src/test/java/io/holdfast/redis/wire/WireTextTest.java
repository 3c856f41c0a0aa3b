package io.holdfast.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("quick")
final class WireTextTest {
    private static final LuaScript SCRIPT = LuaScript.of("one", "return 'one'");

    @Test
    void anArgumentIsItsLengthInBytesAndItsBytes() {
        ByteBuf sent = Unpooled.buffer();

        new WireText(4).add("").add("ordér").writeTo(sent);

        assertThat(sent.toString(StandardCharsets.UTF_8)).isEqualTo("$0\r\n\r\n$6\r\nordér\r\n");
    }

    @Test
    void anyLengthHasItsDigits() {
        for (int size : new int[] {0, 1, 9, 10, 11, 99, 100, 101, 999, 1000, 12345}) {
            ByteBuf sent = Unpooled.buffer();

            new WireText(0).add("x".repeat(size)).add(size).writeTo(sent);

            assertThat(sent.toString(StandardCharsets.UTF_8))
                    .isEqualTo("$" + size + "\r\n" + "x".repeat(size) + "\r\n$"
                            + Integer.toString(size).length() + "\r\n" + size + "\r\n");
        }
    }

    @Test
    void aScriptCallIsSentAsTheDriverWouldSendIt() {
        String[] keys = {"hf:{abc}:l:" + "ö\n\u0000 ".repeat(300), "hf:{abc}:f"};
        String[] args = {"", "-1", "\uD83D\uDD12", "x".repeat(5000)};
        CommandArgs<String, String> drivers = new CommandArgs<>(StringCodec.UTF8)
                .add(SCRIPT.digest())
                .add(keys.length)
                .addKeys(keys)
                .addValues(args)
                .addValue("0123456789ab");
        ScriptArgs ours = new ScriptArgs(SCRIPT, keys, args, "0123456789ab");

        assertThat(encoded(ours)).isEqualTo(encoded(drivers));
        assertThat(ours.count()).isEqualTo(drivers.count());
        assertThat(ours.getFirstEncodedKey()).isEqualTo(drivers.getFirstEncodedKey());
    }

    private static String encoded(CommandArgs<String, String> args) {
        ByteBuf sent = Unpooled.buffer();
        args.encode(sent);
        return sent.toString(StandardCharsets.UTF_8);
    }
}
