@NullMarked
package io.holdfast.servers;

import org.jspecify.annotations.NullMarked;
