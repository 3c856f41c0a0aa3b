/**
 * A claim in Redis: the scripts that decide it, the calls that send them and read their answers, and the tickets of the
 * claims that wait. Not an API for users.
 */
@NullMarked
package io.holdfast.redis.claim;

import org.jspecify.annotations.NullMarked;
