package io.holdfast.guard.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.holdfast.fence.Marks;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The marks of a resource as one transaction has read them.
 *
 * @param keys their keys
 * @param lock the lock's name; null if the resource was never marked
 * @param any the mark of any mode, or null
 * @param exclusive the mark of exclusive mode, or null
 */
record StoredMarks(
        MarkKeys keys,
        @Nullable KeyValue lock,
        @Nullable KeyValue any,
        @Nullable KeyValue exclusive) {
    static Op[] reads(MarkKeys keys) {
        return new Op[] {
            Op.get(keys.lock(), GetOption.DEFAULT),
            Op.get(keys.any(), GetOption.DEFAULT),
            Op.get(keys.exclusive(), GetOption.DEFAULT)
        };
    }

    /** From the answers to {@link #reads}. */
    static StoredMarks of(MarkKeys keys, List<GetResponse> answers) {
        return new StoredMarks(keys, only(answers.get(0)), only(answers.get(1)), only(answers.get(2)));
    }

    Optional<String> lockName() {
        return Optional.ofNullable(lock).map(StoredMarks::text);
    }

    Marks marks() {
        return new Marks(token(any), token(exclusive));
    }

    /** In a transaction: the marks are still these. */
    Cmp[] unchanged() {
        return new Cmp[] {
            unchanged(keys.lock(), lock), unchanged(keys.any(), any), unchanged(keys.exclusive(), exclusive)
        };
    }

    /** Puts the marks {@code next} of this lock, as far as they differ from these. */
    Op[] puts(String lockName, Marks next) {
        List<Op> puts = new ArrayList<>();
        put(puts, keys.lock(), lock, MarkKeys.bytes(lockName));
        put(puts, keys.any(), any, MarkKeys.token(next.any()));
        put(puts, keys.exclusive(), exclusive, MarkKeys.token(next.exclusive()));
        return puts.toArray(Op[]::new);
    }

    private static void put(List<Op> puts, ByteSequence key, @Nullable KeyValue before, ByteSequence value) {
        if (before == null || !before.getValue().equals(value)) {
            puts.add(Op.put(key, value, PutOption.DEFAULT));
        }
    }

    private static Cmp unchanged(ByteSequence key, @Nullable KeyValue kv) {
        return new Cmp(key, Cmp.Op.EQUAL, CmpTarget.modRevision(kv == null ? 0 : kv.getModRevision()));
    }

    private static @Nullable KeyValue only(GetResponse answer) {
        return answer.getKvs().isEmpty() ? null : answer.getKvs().get(0);
    }

    private static long token(@Nullable KeyValue kv) {
        return kv == null ? 0 : Long.parseLong(text(kv));
    }

    private static String text(KeyValue kv) {
        return kv.getValue().toString(StandardCharsets.UTF_8);
    }
}
