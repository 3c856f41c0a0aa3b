package io.holdfast.guard.etcd;

import io.etcd.jetcd.ByteSequence;
import io.holdfast.Mode;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The three keys of a resource's marks, on no lease, so that they outlive every client (U19). Part of the stored
 * format: the etcd store writes the same keys for {@code holdfast admit}.
 *
 * @param lock the name of the lock that protects the resource
 * @param any the highest token that was admitted in any mode
 * @param exclusive the highest token that was admitted in exclusive mode
 */
record MarkKeys(ByteSequence lock, ByteSequence any, ByteSequence exclusive) {
    static MarkKeys of(String namespace, String resource) {
        String prefix = (namespace.isEmpty() ? "" : namespace + "/") + "holdfast/mark/" + resource + '\0';
        return new MarkKeys(bytes(prefix + "lock"), bytes(prefix + "any"), bytes(prefix + "exclusive"));
    }

    /** The mark that refuses a stale token in this mode. */
    ByteSequence against(Mode mode) {
        return mode == Mode.EXCLUSIVE ? any : exclusive;
    }

    /** A token with 19 digits, so that etcd, which compares bytes, compares numbers. */
    static ByteSequence token(long token) {
        return bytes(String.format(Locale.ROOT, "%019d", token));
    }

    static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }
}
