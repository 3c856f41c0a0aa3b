/**
 * Sessions with ZooKeeper: how they are opened and replaced, their heartbeats, and for how long each of them is certainly
 * alive. Nothing here knows about claims.
 */
@NullMarked
package io.holdfast.zookeeper.session;

import org.jspecify.annotations.NullMarked;
