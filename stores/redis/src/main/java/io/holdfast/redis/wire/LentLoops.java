package io.holdfast.redis.wire;

import io.holdfast.spi.WaitingThread;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EpollProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.IOUringProvider;
import io.lettuce.core.resource.KqueueProvider;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives a Lettuce client one event loop that can be lent to callers, and a second client with the same resources one that
 * can be lent to those who wait for messages. Where Lettuce would use a transport that this does not know, both get the
 * usual loops and nothing is lent.
 */
public final class LentLoops implements EventLoopGroupProvider {
    private static final Duration ABSENCE = Duration.ofMillis(10);

    private final EventLoopGroupProvider usual = new DefaultEventLoopGroupProvider(2);
    private final String name;
    private final Duration rest;
    private volatile @Nullable LentLoop loop;
    private volatile @Nullable LentLoop ear;

    /**
     * @param name of its thread
     * @param rest for how long after a caller nobody reads, in case it comes again
     */
    public LentLoops(String name, Duration rest) {
        this.name = name;
        this.rest = rest;
    }

    /** Resources for one client, which are shut down with it. */
    public ClientResources resources() {
        return ClientResources.builder().eventLoopGroupProvider(this).build();
    }

    /** Sends and waits as {@link LentLoop#drive}, or only sends if there is nothing to lend. */
    public <T> CompletableFuture<T> drive(Supplier<CompletableFuture<T>> send) {
        LentLoop lent = loop;
        return lent == null ? send.get() : lent.drive(send);
    }

    /** Waits for messages as {@link LentLoop#attend}; false if there is nothing to lend. */
    public boolean attend(WaitingThread waiting, BooleanSupplier others) {
        LentLoop lent = ear;
        return lent != null && lent.attend(waiting, others);
    }

    /** As {@link LentLoop#listen}. */
    public void listen() {
        LentLoop lent = ear;
        if (lent != null) {
            lent.listen();
        }
    }

    @Override
    @SuppressWarnings("unchecked") // Lettuce asks for its transport's class, and uses what it gets as a group only.
    public synchronized <T extends EventLoopGroup> T allocate(Class<T> type) {
        if (ear != null || KqueueProvider.isAvailable() || IOUringProvider.isAvailable()) {
            return usual.allocate(type);
        }
        IoHandlerFactory handlers = EpollProvider.isAvailable() ? Epoll.handlers() : NioIoHandler.newFactory();
        LentLoop lent;
        if (loop == null) {
            lent = new LentLoop(handlers, name, rest, Duration.ZERO);
            loop = lent;
        } else {
            // Messages come unasked, and must not wait for the next caller: its keeper does not rest.
            lent = new LentLoop(handlers, name + "-ear", Duration.ZERO, ABSENCE);
            ear = lent;
        }
        return (T) lent;
    }

    /** In a class of its own, because Netty's part for epoll may be missing. */
    private static final class Epoll {
        static IoHandlerFactory handlers() {
            return EpollIoHandler.newFactory();
        }
    }

    @Override
    public int threadPoolSize() {
        return 1;
    }

    @Override
    public Future<Boolean> release(EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
        if (group != loop && group != ear) {
            return usual.release(group, quietPeriod, timeout, unit);
        }
        Promise<Boolean> done = new DefaultPromise<>(GlobalEventExecutor.INSTANCE);
        group.shutdownGracefully(quietPeriod, timeout, unit).addListener(ended -> done.setSuccess(true));
        return done;
    }

    @Override
    public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
        Future<Boolean> last = usual.shutdown(quietPeriod, timeout, unit);
        for (LentLoop lent : Arrays.asList(loop, ear)) {
            if (lent != null) {
                last = release(lent, quietPeriod, timeout, unit);
            }
        }
        return last;
    }
}
