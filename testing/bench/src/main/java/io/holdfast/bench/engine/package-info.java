/** Workloads without a server: the engine over the memory store and over SQLite. */
@NullMarked
package io.holdfast.bench.engine;

import org.jspecify.annotations.NullMarked;
