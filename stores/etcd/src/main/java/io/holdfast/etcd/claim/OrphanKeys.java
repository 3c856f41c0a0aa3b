package io.holdfast.etcd.claim;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.holdfast.etcd.client.EtcdCalls;
import io.holdfast.etcd.line.Entry;
import io.holdfast.etcd.line.KeySpace;
import io.holdfast.etcd.session.EtcdLease;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * L2: the keys on an etcd lease of this client that belong to none of its claims. They are from requests with an
 * unknown outcome, and would stay for as long as the lease is kept alive for other claims.
 */
final class OrphanKeys {
    private final EtcdCalls calls;
    private final KeySpace keys;
    private final ClaimRegistry registry;

    OrphanKeys(EtcdCalls calls, KeySpace keys, ClaimRegistry registry) {
        this.calls = calls;
        this.keys = keys;
        this.registry = registry;
    }

    /** Deletes those on this lease. */
    void delete(EtcdLease lease) {
        calls.timeToLive(lease.id(), true, calls.deadline())
                .thenCompose(answer -> read(answer.getKeys()))
                .thenAccept(found ->
                        found.stream().flatMap(read -> read.getKvs().stream()).forEach(this::deleteIfOrphan));
    }

    private CompletableFuture<List<GetResponse>> read(List<ByteSequence> onLease) {
        List<Op> reads = onLease.stream()
                .filter(key -> keys.isClaim(key) && !isOwned(key))
                .limit(ClaimRenewal.BATCH)
                .<Op>map(key -> Op.get(key, GetOption.DEFAULT))
                .toList();
        return reads.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : calls.read(reads, calls.deadline()).thenApply(TxnResponse::getGetResponses);
    }

    private void deleteIfOrphan(KeyValue kv) {
        String name = keys.nameIn(kv.getKey());
        Entry entry = name == null ? null : Entry.of(name, kv);
        if (entry != null && !registry.contains(entry.holder())) {
            Op delete = Op.delete(entry.key(), DeleteOption.DEFAULT);
            calls.txn(List.of(entry.isStillThere()), List.of(delete), calls.deadline());
        }
    }

    private boolean isOwned(ByteSequence key) {
        return registry.all().stream().anyMatch(claim -> claim.key.equals(key));
    }
}
