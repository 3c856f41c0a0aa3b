@NullMarked
package io.holdfast.zookeeper.line;

import org.jspecify.annotations.NullMarked;
