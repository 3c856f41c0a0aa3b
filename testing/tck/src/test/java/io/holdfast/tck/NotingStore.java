package io.holdfast.tck;

import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseResult;
import java.util.concurrent.CompletionStage;

/** A store of which only pull mode is seen, with the notes that a store without a queue takes (S11). */
class NotingStore extends PullStore {
    private final PauseNotes notes;

    NotingStore(LockStore store, PauseNotes notes) {
        super(store);
        this.notes = notes;
    }

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        return super.tryAcquire(claim).thenApply(answer -> {
            notes.take(claim, answer);
            return answer;
        });
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        return super.release(claim).thenApply(result -> notes.answered(claim, result));
    }
}
