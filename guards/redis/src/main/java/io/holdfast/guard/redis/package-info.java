/** Guards for data in Redis: fenced writes, and compare-and-set without a lock. */
@NullMarked
package io.holdfast.guard.redis;

import org.jspecify.annotations.NullMarked;
