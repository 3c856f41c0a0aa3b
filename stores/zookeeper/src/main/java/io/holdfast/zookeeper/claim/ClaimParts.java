package io.holdfast.zookeeper.claim;

import io.holdfast.zookeeper.delay.AbandonedDelays;
import io.holdfast.zookeeper.delay.DelayStarts;
import io.holdfast.zookeeper.lease.ClaimRegistry;
import io.holdfast.zookeeper.lease.StoreSetup;

/**
 * What all claims of a store share.
 *
 * @param setup the store
 * @param claims where a claim is known by its holder id
 * @param release how a ticket is cancelled
 * @param starts when lock-delays started
 * @param abandoned the removal of old lock-delays
 */
record ClaimParts(
        StoreSetup setup,
        ClaimRegistry<NodeClaim> claims,
        ClaimRelease release,
        DelayStarts starts,
        AbandonedDelays abandoned) {}
