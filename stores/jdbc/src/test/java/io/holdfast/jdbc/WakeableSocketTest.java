package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.tck.TestTime;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A look does not wait, a listener can be brought back, and everybody else reads and writes as with any socket. */
final class WakeableSocketTest {
    private static final int LONG_MILLIS = 60_000;

    private final InetAddress here = InetAddress.getLoopbackAddress();
    private ServerSocket server;
    private WakeableSocket socket;
    private Socket other;
    private InputStream in;
    private volatile Thread background = Thread.currentThread();

    @BeforeEach
    void connect() throws IOException {
        server = new ServerSocket(0, 1, here);
        socket = (WakeableSocket) new PromptSockets("a name").createSocket(here, server.getLocalPort());
        other = server.accept();
        in = socket.getInputStream();
    }

    @AfterEach
    void close() throws IOException {
        socket.close();
        other.close();
        server.close();
    }

    @Test
    void aLookFindsWhatIsThereAndWaitsForNothing() throws Exception {
        socket.setSoTimeout(1);
        assertThatThrownBy(() -> in.read(new byte[8], 0, 8))
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessageContaining("nothing has arrived");

        other.getOutputStream().write(new byte[] {7, 8, (byte) 200});
        socket.setSoTimeout(LONG_MILLIS);
        assertThat(in.read()).isEqualTo(7);
        socket.setSoTimeout(1);
        assertThat(in.read(new byte[8], 0, 1)).isEqualTo(1);
        assertThat(in.read()).isEqualTo(200);
        assertThatThrownBy(in::read).isInstanceOf(SocketTimeoutException.class);

        other.shutdownOutput();
        socket.setSoTimeout(LONG_MILLIS);
        assertThat(in.read()).as("the end of the stream").isEqualTo(-1);
    }

    @Test
    void whoListensIsBroughtBackByAWakeAndHearsLater() throws Exception {
        socket.setSoTimeout(LONG_MILLIS);
        Future<Integer> woken = reading(true);
        awaitReader();
        socket.wake();
        assertThatThrownBy(() -> woken.get(limit(), TimeUnit.MILLISECONDS))
                .hasCauseInstanceOf(SocketTimeoutException.class);

        Future<Integer> next = reading(true);
        awaitReader();
        other.getOutputStream().write(5);
        assertThat(next.get(limit(), TimeUnit.MILLISECONDS)).isEqualTo(5);
    }

    @Test
    void aWakeBeforeTheReadCounts() throws Exception {
        socket.setSoTimeout(LONG_MILLIS);
        socket.wake();
        Future<Integer> woken = reading(true);
        assertThatThrownBy(() -> woken.get(limit(), TimeUnit.MILLISECONDS))
                .hasCauseInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void whoDoesNotListenIsNotBroughtBack() throws Exception {
        socket.setSoTimeout(LONG_MILLIS);
        Future<Integer> answer = reading(false);
        awaitReader();
        socket.wake();
        socket.wake();
        assertThat(answer.isDone()).isFalse();
        other.getOutputStream().write(6);
        assertThat(answer.get(limit(), TimeUnit.MILLISECONDS)).isEqualTo(6);
    }

    /** PostgreSQL's driver does so after the first byte of a message. */
    @Test
    void whoListensWithoutATimeoutIsNotBroughtBack() throws Exception {
        socket.setSoTimeout(0);
        Future<Integer> answer = reading(true);
        awaitReader();
        socket.wake();
        other.getOutputStream().write(6);
        assertThat(answer.get(limit(), TimeUnit.MILLISECONDS)).isEqualTo(6);
    }

    @Test
    void anInterruptBringsBackWhoListensAndIsKept() throws Exception {
        socket.setSoTimeout(LONG_MILLIS);
        CompletableFuture<Boolean> kept = new CompletableFuture<>();
        Thread reader = new Thread(() -> {
            socket.listens(true);
            try {
                in.read();
                kept.complete(false);
            } catch (IOException e) {
                kept.complete(e instanceof SocketTimeoutException && Thread.interrupted());
            }
        });
        reader.start();
        awaitIn(reader);
        reader.interrupt();
        assertThat(kept.get(limit(), TimeUnit.MILLISECONDS)).isTrue();

        socket.listens(false);
        other.getOutputStream().write(3);
        assertThat(in.read()).as("the socket is as it was").isEqualTo(3);
    }

    @Test
    void anInterruptDoesNotDisturbWhoDoesNotListen() throws Exception {
        socket.setSoTimeout(LONG_MILLIS);
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        Thread reader = new Thread(() -> {
            try {
                int got = in.read();
                answer.complete(Thread.interrupted() ? got : -2);
            } catch (IOException e) {
                answer.completeExceptionally(e);
            }
        });
        reader.start();
        awaitIn(reader);
        reader.interrupt();
        other.getOutputStream().write(4);
        assertThat(answer.get(limit(), TimeUnit.MILLISECONDS)).isEqualTo(4);
    }

    @Test
    void aReaderWhoseSocketIsClosedFails() throws Exception {
        Future<Integer> answer = reading(false);
        awaitReader();
        socket.close();
        assertThatThrownBy(() -> answer.get(limit(), TimeUnit.MILLISECONDS)).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void aTimeoutIsATimeout() throws Exception {
        socket.setSoTimeout(20);
        assertThatThrownBy(in::read).isInstanceOf(SocketTimeoutException.class).hasMessageContaining("20 ms");
        assertThat(socket.getSoTimeout()).isEqualTo(20);
    }

    @Test
    void whatIsMoreThanTheSystemTakesAtOnceIsWrittenAsWell() throws Exception {
        byte[] much = new byte[8 << 20];
        new java.util.Random(7).nextBytes(much);
        Future<byte[]> read = inBackground(() -> other.getInputStream().readNBytes(much.length));
        socket.getOutputStream().write(much, 0, much.length);
        assertThat(read.get(limit(), TimeUnit.MILLISECONDS)).isEqualTo(much);
    }

    @Test
    void oneDirectionCanBeEnded() throws Exception {
        socket.shutdownOutput();
        assertThat(other.getInputStream().read()).isEqualTo(-1);
        other.getOutputStream().write(9);
        socket.setSoTimeout(LONG_MILLIS);
        assertThat(in.read()).isEqualTo(9);
        socket.shutdownInput();
        assertThatThrownBy(socket::getInputStream).isInstanceOf(IOException.class);
    }

    @Test
    void optionsAreThoseOfTheSystem() throws Exception {
        socket.setTcpNoDelay(true);
        socket.setKeepAlive(true);
        assertThat(socket.getTcpNoDelay()).isTrue();
        assertThat(socket.getKeepAlive()).isTrue();
        assertThat(socket.getReceiveBufferSize()).isPositive();
        assertThat(socket.getPort()).isEqualTo(server.getLocalPort());
        assertThat(socket.getLocalAddress()).isEqualTo(here);
        assertThatThrownBy(() -> socket.getSoLinger()).isInstanceOf(SocketException.class);
    }

    @Test
    void onlyAFirstMessageInTheClearIsPlain() throws Exception {
        assertThat(socket.isPlain()).isFalse();
        // The question whether the server can encrypt.
        socket.getOutputStream().write(new byte[] {0, 0, 0, 8, 4, (byte) 210, 22, 47});
        assertThat(socket.isPlain()).isFalse();
        // The first record of TLS.
        socket.getOutputStream().write(new byte[] {22, 3, 1, 0, 5, 1, 0, 0, 1, 3});
        assertThat(socket.isPlain()).isFalse();
        socket.getOutputStream().write(new byte[] {0, 0, 0, 10, 0, 3, 0, 0, 'u', 0});
        assertThat(socket.isPlain()).isTrue();
    }

    @Test
    void nobodyThereIsRefusedAndTheNameFindsTheSocketOnce() throws Exception {
        server.close();
        assertThatThrownBy(() -> new PromptSockets(null)
                        .createSocket()
                        .connect(new InetSocketAddress(here, server.getLocalPort()), 1000))
                .isInstanceOf(IOException.class);
        assertThat(PromptSockets.take("a name")).isSameAs(socket);
        assertThat(PromptSockets.take("a name")).isNull();
    }

    private Future<Integer> reading(boolean listens) {
        return inBackground(() -> {
            socket.listens(listens);
            return in.read();
        });
    }

    private <T> Future<T> inBackground(java.util.concurrent.Callable<T> task) {
        CompletableFuture<Void> started = new CompletableFuture<>();
        var threads = Executors.newSingleThreadExecutor();
        Future<T> result = threads.submit(() -> {
            background = Thread.currentThread();
            started.complete(null);
            return task.call();
        });
        threads.shutdown();
        started.join();
        return result;
    }

    private void awaitReader() throws InterruptedException {
        awaitIn(background);
    }

    /** Until the thread sleeps in its selector. */
    private static void awaitIn(Thread thread) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limit());
        while (Arrays.stream(thread.getStackTrace())
                .noneMatch(frame -> frame.getMethodName().equals("select"))) {
            assertThat(System.nanoTime() - end)
                    .as("time left for the reader to sleep")
                    .isNegative();
            Thread.sleep(1);
        }
    }

    private static long limit() {
        return TestTime.scaled(Duration.ofSeconds(10)).toMillis();
    }
}
