/** The Fenced Redlock store on five real servers. */
@NullMarked
package io.holdfast.redlock;

import org.jspecify.annotations.NullMarked;
