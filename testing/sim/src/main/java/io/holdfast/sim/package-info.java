/**
 * The real engine on virtual time with seeded faults. One thread, one queue of events, one seed: the same seed is the
 * same history, event by event.
 */
@NullMarked
package io.holdfast.sim;

import org.jspecify.annotations.NullMarked;
