/** Fenced Redlock: locks on a majority of independent Redis servers. Opened by {@code redlock://} URLs. */
@NullMarked
package io.holdfast.redlock;

import org.jspecify.annotations.NullMarked;
