/** What the command prints: lines for people, JSON for machines. */
@NullMarked
package io.holdfast.cli.output;

import org.jspecify.annotations.NullMarked;
