package io.holdfast.sql.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.tck.TestTime;
import java.lang.reflect.Proxy;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class CancellableWaitTest {
    /** Else it would meet the next statement of that connection, or in MySQL's driver a statement that is closed. */
    @Test
    void aStatementIsNotOverBeforeItsCancellationIs() throws Exception {
        CancellableWait patience = new CancellableWait(Duration.ofMinutes(1));
        CountDownLatch executing = new CountDownLatch(1);
        CountDownLatch cancelling = new CountDownLatch(1);
        CompletableFuture<Void> executed = new CompletableFuture<>();
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        CompletableFuture<Boolean> cancelledWhenOver = new CompletableFuture<>();
        CompletableFuture<Thread> waiter = new CompletableFuture<>();
        PreparedStatement statement = statement(
                () -> {
                    executing.countDown();
                    cancelling.await();
                    return executed.complete(null);
                },
                () -> {
                    cancelling.countDown();
                    executed.get();
                    // Until it waits for this, or has not waited and is through.
                    while (waiter.get().getState() != Thread.State.WAITING && !cancelledWhenOver.isDone()) {
                        Thread.onSpinWait();
                    }
                    return cancelled.complete(null);
                });
        waiter.complete(new Thread(() -> {
            try {
                patience.execute(statement);
                cancelledWhenOver.complete(cancelled.isDone());
            } catch (Exception e) {
                cancelledWhenOver.completeExceptionally(e);
            }
        }));
        waiter.get().start();
        executing.await();
        patience.end();
        assertThat(cancelledWhenOver.get(TestTime.patience().toMillis(), TimeUnit.MILLISECONDS))
                .isTrue();
    }

    private static PreparedStatement statement(Callable<Boolean> execute, Callable<Boolean> cancel) {
        return (PreparedStatement) Proxy.newProxyInstance(
                CancellableWaitTest.class.getClassLoader(),
                new Class<?>[] {PreparedStatement.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "execute" -> execute.call();
                    case "cancel" -> {
                        cancel.call();
                        yield null;
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }
}
