/** The etcd leases of this client: granted, kept alive, and known to be valid until when. */
@NullMarked
package io.holdfast.etcd.session;

import org.jspecify.annotations.NullMarked;
