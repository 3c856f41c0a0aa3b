package io.holdfast.redis.wire;

import io.lettuce.core.AbstractRedisClient;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Ends a driver that Holdfast has opened. The driver's own {@code shutdown} waits without a limit for futures that its
 * threads complete. It has been seen to wait after those threads had ended.
 */
public final class ClientEnd {
    private static final long THREADS_MILLIS = 1_000;
    private static final long LIMIT_MILLIS = 4 * THREADS_MILLIS;

    private ClientEnd() {}

    /**
     * Closes the connections of a client and ends its threads; returns after four seconds in any case.
     */
    public static void shutdown(AbstractRedisClient client) {
        try {
            client.shutdownAsync(0, THREADS_MILLIS, TimeUnit.MILLISECONDS).get(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            System.getLogger(ClientEnd.class.getName())
                    .log(System.Logger.Level.DEBUG, "the Redis driver did not end as it should: {0}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            client.getResources().shutdown(0, THREADS_MILLIS, TimeUnit.MILLISECONDS);
        }
    }
}
