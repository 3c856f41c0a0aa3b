/** The Java code of the documents, compiled and run. */
@NullMarked
package io.holdfast.docs;

import org.jspecify.annotations.NullMarked;
