package io.holdfast.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.tck.OpenWait;
import io.holdfast.tck.TestTime;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A loop that is lent, with one connection to a server that sends every byte back, or keeps it for a while. */
class LentLoopTest {
    private static final long PATIENCE_SECONDS = TestTime.patience().toSeconds();

    private final EventLoopGroup servers = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final AtomicBoolean silent = new AtomicBoolean();
    private final List<Runnable> kept = new ArrayList<>();
    private final LentLoop loop = new LentLoop(NioIoHandler.newFactory(), "lent", Duration.ofMillis(20), Duration.ZERO);
    private final Queue<CompletableFuture<Thread>> asked = new ArrayDeque<>();

    private InetSocketAddress address = new InetSocketAddress(0);
    private Channel connection = new NioSocketChannel();

    @BeforeEach
    void connects() throws Exception {
        Channel server = new ServerBootstrap()
                .group(servers)
                .channel(NioServerSocketChannel.class)
                .childHandler(initially(new Echo()))
                .bind("127.0.0.1", 0)
                .sync()
                .channel();
        address = (InetSocketAddress) server.localAddress();
        connection = connect(loop);
    }

    private Channel connect(LentLoop on) throws InterruptedException {
        return new Bootstrap()
                .group(on)
                .channel(NioSocketChannel.class)
                .handler(initially(new Answers()))
                .connect(address)
                .sync()
                .channel();
    }

    @AfterEach
    void ends() throws Exception {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        servers.shutdownGracefully(0, 1, TimeUnit.SECONDS).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void aThreadThatIsAloneReadsItsOwnAnswer() throws Exception {
        assertThat(drivenBy(Thread.currentThread())).isTrue();
        assertThat(loop.inEventLoop()).isFalse();
    }

    @Test
    void inCompanyTheKeeperReads() throws Exception {
        assertThat(drivenBy(Thread.currentThread())).isTrue();
        loop.submit(() -> {}).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        long began = System.nanoTime();
        Thread reader = loop.drive(this::ask).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        // On a machine that stood still for so long the company would be over.
        if (System.nanoTime() - began < Duration.ofMillis(10).toNanos()) {
            assertThat(reader.getName()).startsWith("lent");
        }
    }

    @Test
    void aRequestFromWithinTheLoopOnlySends() throws Exception {
        assertThat(drivenBy(Thread.currentThread())).isTrue();
        CompletableFuture<Thread> inner = new CompletableFuture<>();
        loop.drive(() -> {
                    CompletableFuture<Thread> outer = ask();
                    return outer.thenCompose(thread -> {
                        CompletableFuture<Thread> second = loop.drive(this::ask);
                        assertThat(second).isNotDone();
                        return second;
                    });
                })
                .whenComplete((thread, failure) -> inner.complete(thread));
        assertThat(inner.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isNotNull();
    }

    @Test
    void anAnswerThatTakesLongIsReadByTheKeeper() throws Exception {
        assertThat(drivenBy(Thread.currentThread())).isTrue();
        silent.set(true);
        CompletableFuture<Thread> answer = loop.drive(this::ask);
        assertThat(answer).isNotDone();
        speak();
        assertThat(answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS).getName()).startsWith("lent");
    }

    @Test
    void anInterruptEndsTheLoanAndIsKept() throws Exception {
        Thread caller = Thread.currentThread();
        assertThat(drivenBy(caller)).isTrue();
        silent.set(true);
        // While it waits in the selector, or if this machine is slow afterwards: it has to find the interrupt either
        // way.
        Thread other = new Thread(() -> {
            LockSupport.parkNanos(Duration.ofMillis(3).toNanos());
            caller.interrupt();
        });
        CompletableFuture<Thread> answer = loop.drive(() -> {
            other.start();
            return ask();
        });
        while (other.isAlive()) {
            Thread.onSpinWait();
        }
        assertThat(Thread.interrupted()).isTrue();
        assertThat(answer).isNotDone();
        speak();
        assertThat(answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS).getName()).startsWith("lent");
    }

    @Test
    void whoeverIsInterruptedAlreadyDoesNotDrive() throws Exception {
        assertThat(drivenBy(Thread.currentThread())).isTrue();
        Thread.currentThread().interrupt();
        CompletableFuture<Thread> answer = loop.drive(this::ask);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS).getName()).startsWith("lent");
    }

    @Test
    void tasksAndTimersRunWhileNobodyDrives() throws Exception {
        for (int i = 0; i < 200; i++) {
            assertThat(drivenBy(null)).isTrue();
            loop.submit(() -> {}).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        loop.schedule(() -> {}, 5, TimeUnit.MILLISECONDS).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void aRequestThatCannotBeSentLeavesTheLoopFree() throws Exception {
        assertThat(drivenBy(Thread.currentThread())).isTrue();
        assertThatThrownBy(() -> loop.drive(() -> {
                    throw new IllegalStateException("cannot be sent");
                }))
                .hasMessage("cannot be sent");
        assertThat(loop.inEventLoop()).isFalse();
        assertThat(drivenBy(Thread.currentThread())).isTrue();
    }

    @Test
    void everybodyIsAnsweredWhoeverDrives() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        CountDownLatch all = new CountDownLatch(8);
        List<Future<Integer>> counts = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            boolean waits = t % 4 != 3;
            counts.add(threads.submit(() -> {
                all.countDown();
                all.await();
                int answers = 0;
                for (int i = 0; i < 500; i++) {
                    CompletableFuture<Thread> answer = waits ? loop.drive(this::ask) : ask();
                    answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                    answers++;
                    if (i % 100 == 99) {
                        TimeUnit.MILLISECONDS.sleep(25); // long enough to be alone, or to find the keeper at rest
                    }
                }
                return answers;
            }));
        }
        for (Future<Integer> count : counts) {
            assertThat(count.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo(500);
        }
        threads.shutdownNow();
    }

    @Test
    void itEndsWhileSomebodyDrives() throws Exception {
        assertThat(drivenBy(Thread.currentThread())).isTrue();
        silent.set(true);
        CompletableFuture<Thread> answer = loop.drive(() -> {
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            return ask();
        });
        assertThat(answer).isNotDone();
        loop.terminationFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(connection.isOpen()).isFalse();
        assertThatThrownBy(() -> loop.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void whoAttendsReadsWhatComes() throws Exception {
        silent.set(true);
        OpenWait wait = new OpenWait();
        CompletableFuture<Thread> answer = ask();
        answer.whenComplete((thread, failure) -> wait.end());
        loop.schedule(this::speak, 5, TimeUnit.MILLISECONDS);
        assertThat(loop.attend(wait, () -> false)).isTrue();
        assertThat(answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isSameAs(Thread.currentThread());
        assertThat(wait.isLent()).isFalse();
        loop.submit(() -> {}).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(wait.doneAfterwards()).isEqualTo(1);
        assertThat(loop.inEventLoop()).isFalse();
        assertThat(ask().get(PATIENCE_SECONDS, TimeUnit.SECONDS).getName())
                .as("the keeper is back")
                .startsWith("lent");
    }

    /** Here nobody would come back by himself. */
    @Test
    void whoLeavesOthersWaitingBringsTheKeeperBack() throws Exception {
        assertThat(readAfterAttending(true, false)).startsWith("away");
    }

    @Test
    void whoBeginsToWaitBringsTheKeeperBack() throws Exception {
        assertThat(readAfterAttending(false, true)).startsWith("away");
    }

    /** Who reads what comes after somebody attended. */
    private String readAfterAttending(boolean others, boolean listens) throws Exception {
        LentLoop away = new LentLoop(NioIoHandler.newFactory(), "away", Duration.ZERO, Duration.ofHours(1));
        try {
            connection = connect(away);
            silent.set(true);
            CompletableFuture<Thread> answer = ask();
            OpenWait wait = new OpenWait();
            // Long enough for the company to be over, which would bring the keeper back too.
            CompletableFuture.runAsync(wait::end, CompletableFuture.delayedExecutor(60, TimeUnit.MILLISECONDS));
            while (!away.attend(wait, () -> others)) {
                assertThat(wait.waits()).as("attends before its wait is over").isTrue();
            }
            if (listens) {
                away.listen();
            }
            speak();
            return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS).getName();
        } finally {
            away.shutdownGracefully(0, 1, TimeUnit.SECONDS).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** The handler forgets a wakeup that comes before it is about to sleep. */
    @Test
    void whoAttendsIsBroughtBackWhenever() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        for (int i = 0; i < 3000; i++) {
            OpenWait wait = new OpenWait();
            int pause = i % 60;
            Future<?> woken = other.submit(() -> {
                for (long end = System.nanoTime() + pause * 1000L; System.nanoTime() - end < 0; ) {
                    Thread.onSpinWait();
                }
                wait.end();
            });
            while (wait.waits()) {
                loop.attend(wait, () -> false);
                assertThat(wait.nanosLeft()).as("it was woken, in round " + i).isPositive();
            }
            woken.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        other.shutdown();
    }

    @Test
    void anInterruptEndsTheAttendanceAndIsKept() throws Exception {
        Thread caller = Thread.currentThread();
        OpenWait wait = new OpenWait();
        loop.schedule(caller::interrupt, 5, TimeUnit.MILLISECONDS);
        assertThat(loop.attend(wait, () -> false)).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(wait.nanosLeft()).isPositive();

        Thread other = new Thread(() -> {
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
            caller.interrupt();
        });
        other.start();
        while (!Thread.interrupted()) {
            loop.attend(wait, () -> false);
            assertThat(wait.nanosLeft()).isPositive();
        }

        caller.interrupt();
        assertThat(loop.attend(wait, () -> false))
                .as("an interrupted thread is not taken")
                .isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void onlyOneAttends() throws Exception {
        OpenWait first = new OpenWait();
        OpenWait second = new OpenWait();
        CompletableFuture<Boolean> attended = CompletableFuture.supplyAsync(() -> loop.attend(first, () -> false));
        while (!first.isLent()) {
            Thread.onSpinWait();
        }
        assertThat(loop.attend(second, () -> false)).isFalse();
        loop.submit(() -> {}).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        first.end();
        assertThat(attended.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void itEndsWhileSomebodyAttends() throws Exception {
        OpenWait wait = new OpenWait();
        loop.schedule(() -> loop.shutdownGracefully(0, 1, TimeUnit.SECONDS), 5, TimeUnit.MILLISECONDS);
        assertThat(loop.attend(wait, () -> false)).isTrue();
        loop.terminationFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(loop.attend(wait, () -> false)).isFalse();
    }

    /** Asks until the answer was read by this thread, or once if it does not matter by whom. */
    private boolean drivenBy(@Nullable Thread wanted) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (System.nanoTime() - end < 0) {
            Thread reader = loop.drive(this::ask).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (wanted == null || reader == wanted) {
                return true;
            }
        }
        return false;
    }

    /** One more byte; its answer is the thread that read it. */
    private CompletableFuture<Thread> ask() {
        CompletableFuture<Thread> answer = new CompletableFuture<>();
        // One lock for both, so that the answers come in the order of the requests.
        synchronized (asked) {
            asked.add(answer);
            connection.writeAndFlush(connection.alloc().buffer(1).writeByte(1));
        }
        return answer;
    }

    private void speak() {
        silent.set(false);
        List<Runnable> late;
        synchronized (kept) {
            late = List.copyOf(kept);
            kept.clear();
        }
        late.forEach(Runnable::run);
    }

    private static ChannelInitializer<Channel> initially(ChannelInboundHandlerAdapter handler) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(handler);
            }
        };
    }

    @ChannelHandler.Sharable
    private final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            synchronized (kept) {
                if (silent.get()) {
                    kept.add(() -> context.writeAndFlush(message));
                    return;
                }
            }
            context.writeAndFlush(message);
        }
    }

    private final class Answers extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            int answers = ((ByteBuf) message).readableBytes();
            ReferenceCountUtil.release(message);
            for (int i = 0; i < answers; i++) {
                CompletableFuture<Thread> first;
                synchronized (asked) {
                    first = asked.remove();
                }
                first.complete(Thread.currentThread());
            }
        }
    }
}
