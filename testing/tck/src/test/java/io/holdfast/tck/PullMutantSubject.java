package io.holdfast.tck;

import java.time.Duration;

/** The contract of stores without a queue over the mutant of the moment; run by {@link MutantsTest} only. */
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
