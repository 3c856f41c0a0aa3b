/** Locks in etcd. */
@NullMarked
package io.holdfast.etcd;

import org.jspecify.annotations.NullMarked;
