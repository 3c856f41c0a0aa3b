/** The subcommands, one class each. */
@NullMarked
package io.holdfast.cli.command;

import org.jspecify.annotations.NullMarked;
