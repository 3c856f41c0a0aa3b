package io.holdfast.sql.rows;

import io.holdfast.Mode;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.support.StoredLease;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Shares and tombstones of a name as the bytes of one column, so that they are in the name's own row (U12). */
final class ExtraCodec {
    private static final int FORMAT = 1;

    /** What the bytes say. */
    record Extra(List<StoredLease> shares, List<Tombstone> tombstones) {
        static final Extra NONE = new Extra(List.of(), List.of());
    }

    private ExtraCodec() {}

    static byte @Nullable [] write(LockRow row) {
        if (row.shares().isEmpty() && row.tombstones().isEmpty()) {
            return null;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(FORMAT);
            out.writeInt(row.shares().size());
            for (StoredLease share : row.shares()) {
                write(out, share.holder());
                out.writeByte(share.mode() == Mode.SHARED ? 's' : 'p');
                out.writeByte(share.state());
                out.writeLong(share.until());
                out.writeLong(share.closed());
                out.writeLong(share.token());
                out.writeInt(share.span());
                out.writeLong(share.ttlNanos());
                out.writeUTF(share.clientId());
                out.writeUTF(share.label());
            }
            out.writeInt(row.tombstones().size());
            for (Tombstone tombstone : row.tombstones()) {
                write(out, tombstone.holder());
                out.writeBoolean(tombstone.revoked());
                out.writeLong(tombstone.until());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static Extra read(byte @Nullable [] bytes) throws SQLException {
        if (bytes == null || bytes.length == 0) {
            return Extra.NONE;
        }
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int format = in.readByte();
            if (format != FORMAT) {
                throw new SQLException("a lock row has the unknown format " + format + ": upgrade Holdfast here");
            }
            int count = in.readInt();
            List<StoredLease> shares = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                shares.add(share(in));
            }
            count = in.readInt();
            List<Tombstone> tombstones = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                HolderId holder = holder(in);
                tombstones.add(new Tombstone(holder, in.readBoolean(), in.readLong()));
            }
            return new Extra(shares, tombstones);
        } catch (IOException e) {
            throw new SQLException("a lock row cannot be read", e);
        }
    }

    private static StoredLease share(DataInputStream in) throws IOException {
        return new StoredLease(
                holder(in),
                in.readByte() == 's' ? Mode.SHARED : Mode.PERMIT,
                in.readByte(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readInt(),
                in.readLong(),
                in.readUTF(),
                in.readUTF());
    }

    private static void write(DataOutputStream out, @Nullable HolderId holder) throws IOException {
        if (holder == null) {
            throw new IOException("a share without a holder");
        }
        out.writeLong(holder.high());
        out.writeLong(holder.middle());
        out.writeInt(holder.low());
    }

    private static HolderId holder(DataInputStream in) throws IOException {
        return new HolderId(in.readLong(), in.readLong(), in.readInt());
    }
}
