/** The claims of this client: how a claim's key is put, waits in line, holds, is renewed, and is deleted. */
@NullMarked
package io.holdfast.etcd.claim;

import org.jspecify.annotations.NullMarked;
