package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.tck.TestTime;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whoever looks before it sleeps reads what any other socket reads. */
final class AttentiveSocketsTest {
    private final InetAddress here = InetAddress.getLoopbackAddress();
    private ServerSocket server;
    private Socket socket;
    private Socket other;

    @BeforeEach
    void connects() throws Exception {
        server = new ServerSocket(0, 1, here);
        socket = new AttentiveSockets().createSocket(here, server.getLocalPort());
        other = server.accept();
    }

    @AfterEach
    void closes() throws Exception {
        socket.close();
        other.close();
        server.close();
    }

    @Test
    void itReadsWhatIsThereAndWhatComesLater() throws Exception {
        InputStream in = socket.getInputStream();
        other.getOutputStream().write(new byte[] {7, 8, 9});
        assertThat(in.read()).isEqualTo(7);
        assertThat(in.readNBytes(2)).containsExactly(8, 9);

        CompletableFuture<Integer> late = CompletableFuture.supplyAsync(() -> {
            try {
                return in.read();
            } catch (java.io.IOException e) {
                throw new IllegalStateException(e);
            }
        });
        TimeUnit.MILLISECONDS.sleep(20); // long after the looking has ended
        other.getOutputStream().write(5);
        assertThat(late.get(TestTime.patience().toSeconds(), TimeUnit.SECONDS)).isEqualTo(5);

        other.shutdownOutput();
        assertThat(in.read()).as("the end of the stream").isEqualTo(-1);
    }

    @Test
    void itsTimeoutIsThatOfTheSocket() throws Exception {
        InputStream in = socket.getInputStream();
        socket.setSoTimeout(30);
        assertThatThrownBy(in::read).isInstanceOf(SocketTimeoutException.class);
        other.getOutputStream().write(3);
        assertThat(in.read()).as("it goes on after a timeout").isEqualTo(3);
    }

    @Test
    void aReaderIsToldThatItsSocketWasClosed() throws Exception {
        InputStream in = socket.getInputStream();
        socket.close();
        assertThatThrownBy(in::read).isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> in.read(new byte[4], 0, 4)).isInstanceOf(SocketException.class);
    }
}
