/** What an engine test runs in: clients of one fixture, each with its own network, clock and listener. */
@NullMarked
package io.holdfast.tck.engine.world;

import org.jspecify.annotations.NullMarked;
