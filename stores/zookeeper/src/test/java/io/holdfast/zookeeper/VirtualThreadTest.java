package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Which threads may wait in a monitor of ZooKeeper's client. */
class VirtualThreadTest {
    @Test
    void ordinaryThreadsAreNotVirtual() throws Exception {
        assertThat(Session.isVirtual(new Thread(() -> {}))).isFalse();
        assertThat(Session.isVirtual(new Thread() {})).isFalse();
        assertThat(ForkJoinPool.commonPool()
                        .submit(() -> Session.isVirtual(Thread.currentThread()))
                        .get())
                .isFalse();
    }

    @Test
    void virtualThreadsAre() throws Exception {
        Optional<Method> start = Stream.of(Thread.class.getMethods())
                .filter(method -> method.getName().equals("startVirtualThread"))
                .findFirst();
        Assumptions.assumeTrue(start.isPresent(), "Java 21 has virtual threads");
        CompletableFuture<Boolean> virtual = new CompletableFuture<>();
        Runnable ask = () -> virtual.complete(Session.isVirtual(Thread.currentThread()));
        start.orElseThrow().invoke(null, ask);

        assertThat(virtual.get()).isTrue();
    }
}
