package io.holdfast.etcd.client;

import io.etcd.jetcd.kv.TxnResponse;

/**
 * The answer to a transaction that may have been sent in one call with others.
 *
 * @param revision the revision of the store after it
 * @param txn its results
 */
public record TxnAnswer(long revision, TxnResponse txn) {}
