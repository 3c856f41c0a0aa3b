/** Tests of the etcd store on real servers. */
@NullMarked
package io.holdfast.etcd;

import org.jspecify.annotations.NullMarked;
