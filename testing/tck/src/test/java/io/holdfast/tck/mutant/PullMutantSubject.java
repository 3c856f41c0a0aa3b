package io.holdfast.tck.mutant;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.VirtualTime;
import io.holdfast.tck.store.LockStoreContract;
import java.time.Duration;

/** The contract of stores without a queue over the current mutant; run by {@link MutantsTest} only. */
class PullMutantSubject extends LockStoreContract {
    @Override
    protected StoreFixture fixture() {
        Mutant mutant = MutantSubject.CURRENT.get();
        if (mutant == null) {
            throw new IllegalStateException("no mutant was chosen");
        }
        return PlainFixture.pulled(new VirtualTime(Duration.ofSeconds(1)), mutant.server);
    }
}
