/**
 * What both ways of locking have in common: the claims of a store, their renewal by a session's heartbeat, and their end by
 * TTL, by loss of the session and by close.
 */
@NullMarked
package io.holdfast.zookeeper.lease;

import org.jspecify.annotations.NullMarked;
