/** Tests of the rules of the line. */
@NullMarked
package io.holdfast.etcd.line;

import org.jspecify.annotations.NullMarked;
