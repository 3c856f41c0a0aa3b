/**
 * Locks in ZooKeeper: what applications use. The packages below are internal and may change at any time.
 */
@NullMarked
package io.holdfast.zookeeper;

import org.jspecify.annotations.NullMarked;
