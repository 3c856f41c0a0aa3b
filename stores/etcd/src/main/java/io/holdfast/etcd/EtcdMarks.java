package io.holdfast.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.fence.Marks;
import io.holdfast.spi.MarkResult;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/**
 * The marks of guarded resources: three keys each, without a lease, so that they outlive everything (U19). The highest
 * token in any mode and the highest in exclusive mode are keys of their own, so that a user's transaction can compare
 * the one that matters to it and is not disturbed by the other.
 */
final class EtcdMarks {
    private final EtcdWire wire;
    private final KeySpace keys;
    private final long nanos;

    EtcdMarks(EtcdWire wire, KeySpace keys, long nanos) {
        this.wire = wire;
        this.keys = keys;
        this.nanos = nanos;
    }

    /** Marks and admits, or refuses. */
    CompletableFuture<MarkResult> admit(String resource, Sequencer sequencer) {
        if (sequencer.mode() == Mode.PERMIT) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "permits cannot be fenced: the newest token does not make the others stale"));
        }
        GetOption plain = GetOption.DEFAULT;
        List<Op> reads = List.of(
                Op.get(lock(resource), plain), Op.get(any(resource), plain), Op.get(exclusive(resource), plain));
        return wire.txn(List.of(), reads, List.of(), nanos).thenCompose(answer -> {
            List<List<KeyValue>> found =
                    answer.getGetResponses().stream().map(read -> read.getKvs()).toList();
            String lockName = found.get(0).isEmpty()
                    ? sequencer.lockName()
                    : text(found.get(0).get(0));
            if (!lockName.equals(sequencer.lockName())) {
                return CompletableFuture.completedFuture(new MarkResult.OtherLock(lockName));
            }
            Marks marks = new Marks(token(found.get(1)), token(found.get(2)));
            if (!marks.admits(sequencer.mode(), sequencer.token())) {
                return CompletableFuture.completedFuture(new MarkResult.Stale(marks.against(sequencer.mode())));
            }
            return mark(resource, sequencer, marks.with(sequencer.mode(), sequencer.token()), found);
        });
    }

    /**
     * True in a transaction as long as nothing was admitted that makes this sequencer, which was, stale. Tokens are
     * written with 19 digits, so that etcd, which compares bytes, compares numbers.
     */
    Cmp stillAdmitted(String resource, Sequencer sequencer) {
        return sequencer.mode() == Mode.EXCLUSIVE
                ? new Cmp(any(resource), Cmp.Op.EQUAL, CmpTarget.value(value(sequencer.token())))
                : new Cmp(exclusive(resource), Cmp.Op.LESS, CmpTarget.value(value(sequencer.token())));
    }

    /** What the resource is marked with. */
    CompletableFuture<Marks> marks(String resource) {
        List<Op> reads =
                List.of(Op.get(any(resource), GetOption.DEFAULT), Op.get(exclusive(resource), GetOption.DEFAULT));
        return wire.txn(List.of(), reads, List.of(), nanos)
                .thenApply(answer -> new Marks(
                        token(answer.getGetResponses().get(0).getKvs()),
                        token(answer.getGetResponses().get(1).getKvs())));
    }

    private ByteSequence lock(String resource) {
        return keys.mark(resource, "lock");
    }

    private ByteSequence any(String resource) {
        return keys.mark(resource, "any");
    }

    private ByteSequence exclusive(String resource) {
        return keys.mark(resource, "exclusive");
    }

    private CompletableFuture<MarkResult> mark(
            String resource, Sequencer sequencer, Marks marks, List<List<KeyValue>> found) {
        List<ByteSequence> at = List.of(lock(resource), any(resource), exclusive(resource));
        List<ByteSequence> values =
                List.of(KeySpace.bytes(sequencer.lockName()), value(marks.any()), value(marks.exclusive()));
        List<Cmp> unchanged = new ArrayList<>();
        List<Op> puts = new ArrayList<>();
        for (int i = 0; i < at.size(); i++) {
            long revision = found.get(i).isEmpty() ? 0 : found.get(i).get(0).getModRevision();
            unchanged.add(new Cmp(at.get(i), Cmp.Op.EQUAL, CmpTarget.modRevision(revision)));
            if (found.get(i).isEmpty() || !found.get(i).get(0).getValue().equals(values.get(i))) {
                puts.add(Op.put(at.get(i), values.get(i), PutOption.DEFAULT));
            }
        }
        return wire.txn(unchanged, puts, List.of(), nanos)
                .thenCompose(answer -> answer.isSucceeded()
                        ? CompletableFuture.completedFuture(new MarkResult.Admitted())
                        : admit(resource, sequencer));
    }

    private static long token(List<KeyValue> found) {
        return found.isEmpty() ? 0 : Long.parseLong(text(found.get(0)));
    }

    private static ByteSequence value(long token) {
        return KeySpace.bytes(String.format(Locale.ROOT, "%019d", token));
    }

    private static String text(KeyValue kv) {
        return kv.getValue().toString(StandardCharsets.UTF_8);
    }
}
