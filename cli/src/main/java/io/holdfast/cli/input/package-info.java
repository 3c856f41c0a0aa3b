/** What a command was called with: its arguments, their forms, and what is said when they cannot be used. */
@NullMarked
package io.holdfast.cli.input;

import org.jspecify.annotations.NullMarked;
