/** Tests of the guard for data in Redis against a real server. */
@NullMarked
package io.holdfast.guard.redis;

import org.jspecify.annotations.NullMarked;
