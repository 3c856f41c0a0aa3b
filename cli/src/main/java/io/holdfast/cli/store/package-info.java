/** The store that a command works on: which it is, how it is opened, and what its errors mean. */
@NullMarked
package io.holdfast.cli.store;

import org.jspecify.annotations.NullMarked;
