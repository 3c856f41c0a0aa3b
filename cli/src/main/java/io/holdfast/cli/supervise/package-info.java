/** Runs a command under a lease, and stops it before the lease ends, whatever happens to this process. */
@NullMarked
package io.holdfast.cli.supervise;

import org.jspecify.annotations.NullMarked;
