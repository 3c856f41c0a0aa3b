/**
 * Locks as single nodes ({@code mode=single}): one ephemeral node per lock, which all waiting clients watch. Exclusive mode
 * only, without lock-delay and without an order.
 */
@NullMarked
package io.holdfast.zookeeper.single;

import org.jspecify.annotations.NullMarked;
