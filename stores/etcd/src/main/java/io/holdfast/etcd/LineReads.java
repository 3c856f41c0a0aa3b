package io.holdfast.etcd;

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
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The reads that stand in a transaction beside its write, and what they say.
 *
 * <p>An exclusive claim needs to know only whether it is first and else who is right before it, whatever the length of
 * the line. With its own put it reads the first two: that decides it unless there are two before it already; then it
 * has time for a second read. The other modes read the whole line.
 */
final class LineReads {
    private LineReads() {}

    /** The head of the line, or for modes in which many hold together the whole. */
    static List<Op> head(KeySpace keys, String name, Mode mode) {
        if (mode != Mode.EXCLUSIVE) {
            return whole(keys, name);
        }
        ByteSequence queue = keys.queue(name);
        return List.of(
                Op.get(queue, sorted(queue, SortOrder.ASCEND).withLimit(2).build()), delays(keys, name));
    }

    /** The line as a claim in this mode needs it that was created at {@code revision}. */
    static List<Op> upTo(KeySpace keys, String name, Mode mode, long revision) {
        if (mode != Mode.EXCLUSIVE) {
            return whole(keys, name);
        }
        return List.of(
                Op.get(
                        keys.queue(name),
                        sorted(keys.queue(name), SortOrder.DESCEND)
                                .withMaxCreateRevision(revision)
                                .withLimit(2)
                                .build()),
                delays(keys, name));
    }

    /** All of it. */
    static List<Op> whole(KeySpace keys, String name) {
        return List.of(
                Op.get(
                        keys.queue(name),
                        sorted(keys.queue(name), SortOrder.ASCEND).build()),
                delays(keys, name));
    }

    /** Reads what any of the above answered, from the {@code skip}th answer on: what was read of the line, in order. */
    static Line line(List<GetResponse> answers, int skip) {
        List<Entry> entries = new ArrayList<>();
        Set<HolderId> seen = new HashSet<>();
        for (GetResponse answer : answers.subList(skip, answers.size() - 1)) {
            for (KeyValue kv : answer.getKvs()) {
                Entry entry = Entry.of(kv);
                if (entry != null && seen.add(entry.holder())) {
                    entries.add(entry);
                }
            }
        }
        entries.sort((a, b) -> Long.compare(a.createRevision(), b.createRevision()));
        List<Delay> delays = answers.get(answers.size() - 1).getKvs().stream()
                .map(Delay::of)
                .filter(Objects::nonNull)
                .toList();
        return new Line(entries, delays);
    }

    /** Whether {@link #head} found this claim first and no lock-delay: the usual case, seen without reading further. */
    static boolean isFirst(List<GetResponse> head, ByteSequence key) {
        List<KeyValue> first = head.get(0).getKvs();
        return !first.isEmpty()
                && first.get(0).getKey().equals(key)
                && head.get(1).getKvs().isEmpty();
    }

    static GetOption range(ByteSequence start) {
        return GetOption.builder().withRange(KeySpace.endOf(start)).build();
    }

    private static Op delays(KeySpace keys, String name) {
        ByteSequence delays = keys.delays(name);
        return Op.get(delays, range(delays));
    }

    private static GetOption.Builder sorted(ByteSequence start, SortOrder order) {
        return GetOption.builder()
                .withRange(KeySpace.endOf(start))
                .withSortField(SortTarget.CREATE)
                .withSortOrder(order);
    }
}
