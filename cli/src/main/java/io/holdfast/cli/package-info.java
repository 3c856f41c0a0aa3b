/** The {@code holdfast} command: its entry and its exit codes. */
@NullMarked
package io.holdfast.cli;

import org.jspecify.annotations.NullMarked;
