/** Voting: proposals, the count of the answers, withdrawal, renewal, and how a node that forgot relearns its fences. */
@NullMarked
package io.holdfast.redlock.vote;

import org.jspecify.annotations.NullMarked;
