/** Tests of the ZooKeeper store against real servers. */
@NullMarked
package io.holdfast.zookeeper;

import org.jspecify.annotations.NullMarked;
