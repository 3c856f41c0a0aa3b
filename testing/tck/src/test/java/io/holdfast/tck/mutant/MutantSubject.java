package io.holdfast.tck.mutant;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.VirtualTime;
import io.holdfast.tck.store.QueueingStoreContract;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/** The contract over the mutant that {@link #CURRENT} names; run by {@link MutantsTest} only. */
class MutantSubject extends QueueingStoreContract {
    static final AtomicReference<Mutant> CURRENT = new AtomicReference<>();

    @Override
    protected StoreFixture fixture() {
        Mutant mutant = CURRENT.get();
        if (mutant == null) {
            throw new IllegalStateException("no mutant was chosen");
        }
        // A token that runs ahead does so in the first second, and there are dozens of mutants.
        return new PlainFixture(new VirtualTime(Duration.ofSeconds(1)), mutant.server);
    }
}
