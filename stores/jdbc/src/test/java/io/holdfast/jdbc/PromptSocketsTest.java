package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Test;

/** The driver's short look for more does not wait; every other read does. */
final class PromptSocketsTest {
    @Test
    void aLookFindsWhatIsThereAndWaitsForNothing() throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket server = new ServerSocket(0, 1, here);
                Socket socket = new PromptSockets().createSocket(here, server.getLocalPort());
                Socket other = server.accept()) {
            InputStream in = socket.getInputStream();
            socket.setSoTimeout(1);
            assertThatThrownBy(() -> in.read(new byte[8], 0, 8))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage("nothing has arrived");

            other.getOutputStream().write(new byte[] {7, 8, 9});
            socket.setSoTimeout(10_000);
            assertThat(in.read()).isEqualTo(7);
            socket.setSoTimeout(1);
            assertThat(in.read(new byte[8], 0, 1)).isEqualTo(1);
            assertThat(in.read()).isEqualTo(9);
            assertThatThrownBy(in::read).isInstanceOf(SocketTimeoutException.class);

            other.shutdownOutput();
            socket.setSoTimeout(10_000);
            assertThat(in.read()).as("the end of the stream").isEqualTo(-1);
        }
    }
}
