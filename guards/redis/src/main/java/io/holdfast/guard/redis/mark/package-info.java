/** The keys and the rule of marks in Redis, for the guard and for the Redis store. Not an API for users. */
@NullMarked
package io.holdfast.guard.redis.mark;

import org.jspecify.annotations.NullMarked;
