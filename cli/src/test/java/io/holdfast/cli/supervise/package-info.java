/** The watchdog by itself. */
@NullMarked
package io.holdfast.cli.supervise;

import org.jspecify.annotations.NullMarked;
