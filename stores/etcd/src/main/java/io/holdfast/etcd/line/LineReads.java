package io.holdfast.etcd.line;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.GetOption.SortOrder;
import io.etcd.jetcd.options.GetOption.SortTarget;
import io.holdfast.Mode;
import io.holdfast.spi.HolderId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The reads of a line that are part of a transaction, one of the queue and one of the lock-delays, and the line that
 * their answers say.
 *
 * <p>An exclusive claim needs to know whether it is first, and otherwise which claim is right before it, whatever the
 * length of the line. Together with its own put it reads the first two claims. That decides it unless two claims are
 * before it already; then a second read finds the claim before it. The other modes read the whole line.
 */
public final class LineReads {
    private LineReads() {}

    /** The head of the line; the whole line for modes in which several claims hold together. */
    public static List<Op> head(KeySpace keys, String name, Mode mode) {
        if (mode != Mode.EXCLUSIVE) {
            return whole(keys, name);
        }
        ByteSequence queue = keys.queue(name);
        return List.of(
                Op.get(queue, sorted(queue, SortOrder.ASCEND).withLimit(2).build()), delays(keys, name));
    }

    /** The part of the line that decides about a claim in this mode that was created at {@code revision}. */
    public static List<Op> upTo(KeySpace keys, String name, Mode mode, long revision) {
        if (mode != Mode.EXCLUSIVE) {
            return whole(keys, name);
        }
        ByteSequence queue = keys.queue(name);
        return List.of(
                Op.get(
                        queue,
                        sorted(queue, SortOrder.DESCEND)
                                .withMaxCreateRevision(revision)
                                .withLimit(2)
                                .build()),
                delays(keys, name));
    }

    /** The whole line. */
    public static List<Op> whole(KeySpace keys, String name) {
        ByteSequence queue = keys.queue(name);
        return List.of(Op.get(queue, sorted(queue, SortOrder.ASCEND).build()), delays(keys, name));
    }

    /** The line that the answers to one of the reads above say. */
    public static Line line(String name, List<GetResponse> answers) {
        return line(name, answers.get(0).getKvs(), answers.get(1).getKvs());
    }

    /** The line in these keys. */
    public static Line line(String name, List<KeyValue> queue, List<KeyValue> delays) {
        List<Entry> entries = new ArrayList<>();
        Set<HolderId> seen = new HashSet<>();
        for (KeyValue kv : queue) {
            Entry entry = Entry.of(name, kv);
            if (entry != null && seen.add(entry.holder())) {
                entries.add(entry);
            }
        }
        entries.sort(Comparator.comparingLong(Entry::createRevision));
        return new Line(
                entries,
                delays.stream().map(LockDelay::of).filter(Objects::nonNull).toList());
    }

    /** Whether {@link #head} found this claim first and no lock-delay: the usual case, which needs no parsing. */
    public static boolean isFirst(List<GetResponse> head, ByteSequence key) {
        List<KeyValue> first = head.get(0).getKvs();
        return !first.isEmpty()
                && first.get(0).getKey().equals(key)
                && head.get(1).getKvs().isEmpty();
    }

    private static Op delays(KeySpace keys, String name) {
        ByteSequence delays = keys.delays(name);
        return Op.get(
                delays, GetOption.builder().withRange(KeySpace.endOf(delays)).build());
    }

    private static GetOption.Builder sorted(ByteSequence start, SortOrder order) {
        return GetOption.builder()
                .withRange(KeySpace.endOf(start))
                .withSortField(SortTarget.CREATE)
                .withSortOrder(order);
    }
}
