/** One class per subcommand. */
@NullMarked
package io.holdfast.cli.command;

import org.jspecify.annotations.NullMarked;
