/**
 * The store contract. A store decides grants; waiting, fairness, renewal, re-entrancy and events live in the engine,
 * once. Capability is a type: {@link io.holdfast.spi.LockStore} ⊂ {@link io.holdfast.spi.WatchableStore}, {@link
 * io.holdfast.spi.QueueingStore}, and {@link io.holdfast.spi.MarkingStore} beside them.
 */
@NullMarked
package io.holdfast.spi;

import org.jspecify.annotations.NullMarked;
