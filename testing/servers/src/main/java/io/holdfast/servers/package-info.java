/**
 * Real servers as processes, and a proxy that loses what a network loses: for tests, lab and benchmark. Everything
 * listens on the loopback address only.
 */
@NullMarked
package io.holdfast.servers;

import org.jspecify.annotations.NullMarked;
