package io.holdfast.sql;

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

/** Shares and graves of a name as the bytes of one column, so that they live in the name's own row (U12). */
final class ExtraCodec {
    private static final int FORMAT = 1;

    /** What the bytes say. */
    record Extra(List<StoredLease> shares, List<Grave> graves) {
        static final Extra NONE = new Extra(List.of(), List.of());
    }

    private ExtraCodec() {}

    static byte @Nullable [] write(LockRow row) {
        if (row.shares().isEmpty() && row.graves().isEmpty()) {
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
            out.writeInt(row.graves().size());
            for (Grave grave : row.graves()) {
                write(out, grave.holder());
                out.writeBoolean(grave.kind() == Tombstone.REVOKED);
                out.writeLong(grave.until());
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
            List<Grave> graves = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                HolderId holder = holder(in);
                graves.add(new Grave(holder, in.readBoolean() ? Tombstone.REVOKED : Tombstone.ENDED, in.readLong()));
            }
            return new Extra(shares, graves);
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
