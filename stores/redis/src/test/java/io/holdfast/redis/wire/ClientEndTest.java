package io.holdfast.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class ClientEndTest {
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aDriverThatNeverSaysThatItHasEndedIsNotWaitedForForEver() throws Exception {
        Endless client = new Endless();

        ClientEnd.shutdown(client);

        assertThat(client.asked).isTrue();
        assertThat(client.getResources()
                        .eventExecutorGroup()
                        .terminationFuture()
                        .await(10, TimeUnit.SECONDS))
                .isTrue();
    }

    @Test
    void whoeverIsInterruptedIsStillInterruptedAndTheThreadsEnd() throws Exception {
        Endless client = new Endless();

        Thread.currentThread().interrupt();
        ClientEnd.shutdown(client);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(client.getResources()
                        .eventExecutorGroup()
                        .terminationFuture()
                        .await(10, TimeUnit.SECONDS))
                .isTrue();
    }

    private static final class Endless extends RedisClient {
        private boolean asked;

        @Override
        public CompletableFuture<Void> shutdownAsync(long quietPeriod, long timeout, TimeUnit unit) {
            asked = true;
            return new CompletableFuture<>();
        }
    }
}
