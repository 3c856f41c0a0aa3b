package io.holdfast.zookeeper.line;

import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import org.jspecify.annotations.Nullable;

/**
 * The name of a claim's node: {@code x-HOLDER-SEQUENCE}, {@code s-…} if it is shared, {@code p3-…} if it is one of three
 * permits. A node whose creation was not answered is found by the holder id in its name. ZooKeeper appends the sequence
 * number, which is the order of the line.
 *
 * @param text the whole name
 * @param mode the mode of the claim
 * @param permits how many permits its name has, as the claim sees it
 * @param holder the holder id of the claim
 * @param sequence ZooKeeper's counter, a signed int that may overflow
 */
public record NodeName(String text, Mode mode, int permits, HolderId holder, int sequence) {
    private static final int HOLDER_LENGTH = 40;

    /** The name to ask ZooKeeper for, which appends the sequence number. */
    public static String prefix(Claim claim) {
        String kind = switch (claim.mode()) {
            case EXCLUSIVE -> "x";
            case SHARED -> "s";
            case PERMIT -> "p" + claim.permits();
        };
        return kind + "-" + claim.holder() + "-";
    }

    /** Reads the name of a node; null if the node is not a claim. */
    public static @Nullable NodeName parse(String text) {
        int dash = text.indexOf('-');
        int end = dash + 1 + HOLDER_LENGTH;
        if (dash < 1 || text.length() < end + 2 || text.charAt(end) != '-') {
            return null;
        }
        String kind = text.substring(0, dash);
        try {
            HolderId holder = HolderId.parse(text.substring(dash + 1, end));
            int sequence = Integer.parseInt(text.substring(end + 1));
            return switch (kind.charAt(0)) {
                case 'x' -> new NodeName(text, Mode.EXCLUSIVE, 1, holder, sequence);
                case 's' -> new NodeName(text, Mode.SHARED, 1, holder, sequence);
                case 'p' -> new NodeName(text, Mode.PERMIT, Integer.parseInt(kind.substring(1)), holder, sequence);
                default -> null;
            };
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** The order of the line: by signed difference, because the counter may overflow (U20). */
    public static int compare(NodeName a, NodeName b) {
        return Integer.signum(a.sequence - b.sequence);
    }
}
