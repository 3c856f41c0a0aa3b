package io.holdfast.etcd.client;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Runs tasks on the thread that submits them. jetcd hands every call to its executor service, and the task only puts
 * the request into gRPC's queue. With the thread pool that jetcd creates by default, every call would switch threads
 * for that.
 *
 * <p>It has no thread and nothing to shut down.
 */
public final class CallingThreadExecutor extends AbstractExecutorService {
    @Override
    public void execute(Runnable task) {
        task.run();
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return true;
    }
}
