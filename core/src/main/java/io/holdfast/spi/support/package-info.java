/** Parts that several stores are built from. They know the contract and the JDK, and no store. */
@NullMarked
package io.holdfast.spi.support;

import org.jspecify.annotations.NullMarked;
