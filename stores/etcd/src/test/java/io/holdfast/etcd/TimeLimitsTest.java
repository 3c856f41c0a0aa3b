package io.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("quick")
class TimeLimitsTest {
    private final AtomicInteger sweeps = new AtomicInteger();
    private final TimeLimits limits = new TimeLimits("etcd:", sweeps::incrementAndGet);

    @Test
    void aCallWhoseTimeIsUpFailsWithAnUnknownOutcome() {
        CompletableFuture<String> call = new CompletableFuture<>();
        limits.limit(call, Duration.ofMillis(1).toNanos());

        assertThatThrownBy(() -> call.get(Kit.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        failure -> assertThat(failure.outcomeUnknown()).isTrue());
    }

    @Test
    void whatIsToBeDoneBesidesIsDoneAgainAndAgainWhileACallIsUnderWay() {
        CompletableFuture<String> call = new CompletableFuture<>();
        limits.limit(call, Kit.PATIENCE.multipliedBy(2).toNanos());

        Kit.eventually("three sweeps").until(() -> sweeps.get() >= 3);
        call.complete("done");
    }
}
