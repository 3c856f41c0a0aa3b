package io.holdfast.etcd;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Runs tasks on the thread that brings them. jetcd hands every call to an executor, which only puts the request into
 * gRPC's queue: a thread of its own for that, which is what jetcd would make, is a change of threads for every call.
 *
 * <p>There is nothing to shut down.
 */
final class SameThread extends AbstractExecutorService {
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
