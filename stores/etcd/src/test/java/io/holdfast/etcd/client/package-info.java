/** Tests of the calls to etcd. */
@NullMarked
package io.holdfast.etcd.client;

import org.jspecify.annotations.NullMarked;
