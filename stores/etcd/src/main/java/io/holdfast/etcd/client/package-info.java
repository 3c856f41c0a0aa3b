/** Calls to etcd: jetcd with deadlines, the failures of the store contract, and transactions that share one call. */
@NullMarked
package io.holdfast.etcd.client;

import org.jspecify.annotations.NullMarked;
