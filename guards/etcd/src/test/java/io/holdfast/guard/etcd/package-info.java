/** Tests of the etcd guard on a real server. */
@NullMarked
package io.holdfast.guard.etcd;

import org.jspecify.annotations.NullMarked;
