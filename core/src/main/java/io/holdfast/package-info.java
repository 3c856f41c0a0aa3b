/**
 * The API: a distributed lock with a fencing token on every grant. Start at {@link io.holdfast.Holdfast}.
 */
@NullMarked
package io.holdfast;

import org.jspecify.annotations.NullMarked;
