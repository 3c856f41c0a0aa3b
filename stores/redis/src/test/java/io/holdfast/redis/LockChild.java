package io.holdfast.redis;

import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A process of its own that takes the lock {@code job} and keeps it until it is killed. */
final class LockChild {
    private LockChild() {}

    /** {@code args}: the URL, the TTL. */
    public static void main(String[] args) throws InterruptedException {
        Holdfast client = Holdfast.open(args[0]);
        System.out.println("ready");
        System.out.println("token "
                + client.mutex("job")
                        .acquire(LockOptions.waitUpTo(Duration.ofMinutes(5)).ttl(Duration.parse(args[1])))
                        .token());
        new CountDownLatch(1).await();
    }
}
