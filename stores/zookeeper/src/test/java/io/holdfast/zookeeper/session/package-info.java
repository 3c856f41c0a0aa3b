@NullMarked
package io.holdfast.zookeeper.session;

import org.jspecify.annotations.NullMarked;
