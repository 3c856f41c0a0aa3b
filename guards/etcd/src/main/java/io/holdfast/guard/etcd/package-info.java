/** Guards data in etcd. Sees the API, fencing and jetcd; no lock store. */
@NullMarked
package io.holdfast.guard.etcd;

import org.jspecify.annotations.NullMarked;
