/** Stores with one mistake each, which the contract must find, and the plain store that they change. */
@NullMarked
package io.holdfast.tck.mutant;

import org.jspecify.annotations.NullMarked;
