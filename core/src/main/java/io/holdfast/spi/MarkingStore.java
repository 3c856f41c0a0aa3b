package io.holdfast.spi;

import io.holdfast.Sequencer;
import java.util.concurrent.CompletionStage;

/**
 * A store that also keeps the marks of guarded resources, for those that cannot keep them themselves (scripts).
 *
 * <p>[M1] {@code admit} decides and marks in one atomic step by the rule of {@link io.holdfast.fence.Marks}. [M2] Marks
 * outlive locks, processes and the data they protect. [M3] A sequencer of another lock name is refused.
 */
public interface MarkingStore extends LockStore {
    /** Marks the resource with this token and admits it, or refuses it as stale. */
    CompletionStage<MarkResult> admit(String resource, Sequencer sequencer);
}
