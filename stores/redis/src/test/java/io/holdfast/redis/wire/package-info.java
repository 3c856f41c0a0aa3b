/** Tests of what lies between the Redis store and its driver. */
@NullMarked
package io.holdfast.redis.wire;

import org.jspecify.annotations.NullMarked;
