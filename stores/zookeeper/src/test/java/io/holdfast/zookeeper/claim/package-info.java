@NullMarked
package io.holdfast.zookeeper.claim;

import org.jspecify.annotations.NullMarked;
