package io.holdfast.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.etcd.client.Deadline;
import io.holdfast.etcd.client.EtcdCalls;
import io.holdfast.etcd.line.KeySpace;
import io.holdfast.fence.Marks;
import io.holdfast.spi.MarkResult;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/**
 * The marks of guarded resources, which {@code EtcdGuard} in {@code guards/etcd} reads and writes too: three keys for
 * each resource, on no lease, so that they outlive every client (U19). The highest token in any mode and the highest in
 * exclusive mode are two keys, so that a user's transaction can compare the one that matters to it.
 */
final class EtcdMarks {
    private final EtcdCalls calls;
    private final KeySpace keys;

    EtcdMarks(EtcdCalls calls, KeySpace keys) {
        this.calls = calls;
        this.keys = keys;
    }

    /** Marks the resource and admits the token, or refuses it. */
    CompletableFuture<MarkResult> admit(String resource, Sequencer sequencer) {
        if (sequencer.mode() == Mode.PERMIT) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "permits cannot be fenced: the newest token does not make the others stale"));
        }
        List<ByteSequence> at =
                List.of(keys.mark(resource, "lock"), keys.mark(resource, "any"), keys.mark(resource, "exclusive"));
        return admit(at, sequencer, calls.deadline());
    }

    private CompletableFuture<MarkResult> admit(List<ByteSequence> at, Sequencer sequencer, Deadline by) {
        List<Op> reads =
                at.stream().<Op>map(key -> Op.get(key, GetOption.DEFAULT)).toList();
        return calls.read(reads, by).thenCompose(answer -> {
            List<List<KeyValue>> found =
                    answer.getGetResponses().stream().map(GetResponse::getKvs).toList();
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
            return mark(at, found, sequencer, by, marks.with(sequencer.mode(), sequencer.token()));
        });
    }

    private CompletableFuture<MarkResult> mark(
            List<ByteSequence> at, List<List<KeyValue>> found, Sequencer sequencer, Deadline by, Marks marks) {
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
        return calls.txn(unchanged, puts, by)
                .thenCompose(answer -> answer.isSucceeded()
                        ? CompletableFuture.completedFuture(new MarkResult.Admitted())
                        : admit(at, sequencer, by));
    }

    private static long token(List<KeyValue> found) {
        return found.isEmpty() ? 0 : Long.parseLong(text(found.get(0)));
    }

    /** A token with 19 digits, so that etcd, which compares bytes, compares numbers. */
    private static ByteSequence value(long token) {
        return KeySpace.bytes(String.format(Locale.ROOT, "%019d", token));
    }

    private static String text(KeyValue kv) {
        return kv.getValue().toString(StandardCharsets.UTF_8);
    }
}
