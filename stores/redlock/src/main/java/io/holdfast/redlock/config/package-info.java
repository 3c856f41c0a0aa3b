/** What a client is told about a Redlock deployment: addresses, TLS, and the settings on which safety rests. */
@NullMarked
package io.holdfast.redlock.config;

import org.jspecify.annotations.NullMarked;
