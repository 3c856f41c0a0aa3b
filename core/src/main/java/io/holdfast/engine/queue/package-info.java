/** Internal: the local queue of a name as a pure state machine, and the runner that performs what it decides. */
@NullMarked
package io.holdfast.engine.queue;

import org.jspecify.annotations.NullMarked;
