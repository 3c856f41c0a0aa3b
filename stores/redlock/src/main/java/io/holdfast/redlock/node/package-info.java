/** The independent servers of a deployment: a connection to each, whether its answers count, and one question to all. */
@NullMarked
package io.holdfast.redlock.node;

import org.jspecify.annotations.NullMarked;
