package io.holdfast.sql.session;

/**
 * Tokens that were drawn for a grant.
 *
 * @param first the first one
 * @param span how many
 */
public record DrawnTokens(long first, int span) {}
