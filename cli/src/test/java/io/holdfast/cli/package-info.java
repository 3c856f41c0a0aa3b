/** The command, used as people and scripts use it: real processes, real kills, real contention. */
@NullMarked
package io.holdfast.cli;

import org.jspecify.annotations.NullMarked;
