/** Internal: the client and what it offers: locks, semaphores, several locks at once, elections. */
@NullMarked
package io.holdfast.engine.client;

import org.jspecify.annotations.NullMarked;
