/**
 * The line of one lock: paths, names and contents of its nodes, and which claim is next. Pure: nothing here calls
 * ZooKeeper or waits.
 */
@NullMarked
package io.holdfast.zookeeper.line;

import org.jspecify.annotations.NullMarked;
