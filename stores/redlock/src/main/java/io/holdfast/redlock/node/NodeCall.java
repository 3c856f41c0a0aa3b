package io.holdfast.redlock.node;

import io.holdfast.spi.support.CallDeadlines;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One script call under way to one node. It is sent by digest, and with the source if the node does not know the script.
 * The call is its own future and callback, because there is one for every node in every round.
 */
final class NodeCall extends CompletableFuture<Reply>
        implements BiConsumer<@Nullable String, @Nullable Throwable>, CallDeadlines.Call {
    private final String tag;
    private final long deadline;
    private final Supplier<RedisFuture<String>> withSource;
    private final Runnable heard;
    private final Function<Throwable, RuntimeException> failed;

    /**
     * @param tag what the answer begins with (U29)
     * @param timeoutNanos for how long it is waited for
     * @param withSource sends the script itself
     * @param heard runs when the node answered
     * @param failed says what a failure means
     */
    NodeCall(
            String tag,
            long timeoutNanos,
            Supplier<RedisFuture<String>> withSource,
            Runnable heard,
            Function<Throwable, RuntimeException> failed) {
        this.tag = tag;
        this.deadline = System.nanoTime() + timeoutNanos;
        this.withSource = withSource;
        this.heard = heard;
        this.failed = failed;
    }

    @Override
    public void accept(@Nullable String text, @Nullable Throwable failure) {
        try {
            if (failure == null && text != null) {
                heard.run();
                complete(Reply.parse(tag, text));
                return;
            }
            Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                    ? failure.getCause()
                    : failure == null ? new IllegalStateException("an empty answer") : failure;
            if (cause instanceof RedisNoScriptException) {
                withSource.get().whenComplete(this);
            } else {
                completeExceptionally(failed.apply(cause));
            }
        } catch (Throwable e) { // L13: whatever goes wrong here is the outcome of the call
            completeExceptionally(failed.apply(e));
        }
    }

    @Override
    public boolean endIfLate(long now) {
        boolean late = now - deadline >= 0;
        if (late) {
            endNow();
        }
        return late;
    }

    @Override
    public void endNow() {
        if (!isDone()) {
            completeExceptionally(failed.apply(new TimeoutException()));
        }
    }
}
