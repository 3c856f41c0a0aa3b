/** What the command prints: lines of text, or JSON. */
@NullMarked
package io.holdfast.cli.output;

import org.jspecify.annotations.NullMarked;
