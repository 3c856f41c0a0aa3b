/** Which claim is next: the queue of a lock as it is stored in etcd, and the rule for its holders. No I/O. */
@NullMarked
package io.holdfast.etcd.line;

import org.jspecify.annotations.NullMarked;
