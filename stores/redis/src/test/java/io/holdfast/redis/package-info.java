/** Tests of the Redis store against real servers. */
@NullMarked
package io.holdfast.redis;

import org.jspecify.annotations.NullMarked;
