/** Lock-delays: the nodes that keep a lock closed after its holder disappeared, and how long they count. */
@NullMarked
package io.holdfast.zookeeper.delay;

import org.jspecify.annotations.NullMarked;
