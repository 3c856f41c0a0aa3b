package io.holdfast.zookeeper.claim;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Queued;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import java.util.concurrent.CompletableFuture;

/** What the callers of one claim are told. Each answer is given once; a later one changes nothing. Thread-safe. */
final class ClaimAnswers {
    private final CompletableFuture<AcquireResult> tried = new CompletableFuture<>();
    private final CompletableFuture<EnqueueResult> enqueued = new CompletableFuture<>();
    private final CompletableFuture<Granted> granted = new CompletableFuture<>();
    private final CompletableFuture<ReleaseResult> ended = new CompletableFuture<>();

    /** To a try: a grant, or a refusal after which nothing of the claim is left. */
    CompletableFuture<AcquireResult> tried() {
        return tried;
    }

    /** To a request that waits: a grant, or the claim as a ticket. */
    CompletableFuture<EnqueueResult> enqueued() {
        return enqueued;
    }

    /** To a ticket. */
    CompletableFuture<Granted> granted() {
        return granted;
    }

    /** To a release. */
    CompletableFuture<ReleaseResult> ended() {
        return ended;
    }

    void grant(Granted grant) {
        tried.complete(grant);
        enqueued.complete(grant);
        granted.complete(grant);
    }

    void queue(Queued queued) {
        enqueued.complete(queued);
    }

    void refuse(Refused refused) {
        tried.complete(refused);
    }

    void fail(StoreUnavailableException failure) {
        tried.completeExceptionally(failure);
        enqueued.completeExceptionally(failure);
        granted.completeExceptionally(failure);
    }

    void end(ReleaseResult result) {
        ended.complete(result);
    }

    void failToEnd(StoreUnavailableException failure) {
        ended.completeExceptionally(failure);
    }
}
