/** Locks in Redis: standalone, behind Sentinel, or in a cluster. */
@NullMarked
package io.holdfast.redis;

import org.jspecify.annotations.NullMarked;
