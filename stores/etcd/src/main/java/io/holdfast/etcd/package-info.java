/** Locks in etcd: the store and how it is opened. Its parts are in the packages below. */
@NullMarked
package io.holdfast.etcd;

import org.jspecify.annotations.NullMarked;
