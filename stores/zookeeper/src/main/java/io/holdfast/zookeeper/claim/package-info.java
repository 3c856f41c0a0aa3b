/**
 * Locks as lines of nodes: how the node of a claim is created, decided on, held and deleted, and how a line is inspected and
 * revoked.
 */
@NullMarked
package io.holdfast.zookeeper.claim;

import org.jspecify.annotations.NullMarked;
