/** What a store URL says, and what all clients of the same tables must agree on. */
@NullMarked
package io.holdfast.sql.config;

import org.jspecify.annotations.NullMarked;
