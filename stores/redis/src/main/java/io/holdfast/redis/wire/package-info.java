/**
 * How Holdfast speaks to Redis: supervised connections that never replay a command, and scripts that are sent once. For
 * Holdfast's own stores; not an API for users.
 */
@NullMarked
package io.holdfast.redis.wire;

import org.jspecify.annotations.NullMarked;
