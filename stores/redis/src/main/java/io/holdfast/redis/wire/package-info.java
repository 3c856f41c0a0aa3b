/**
 * Supervised connections to Redis that never replay a command, and script calls over them. For Holdfast's own stores; not
 * an API for users.
 */
@NullMarked
package io.holdfast.redis.wire;

import org.jspecify.annotations.NullMarked;
