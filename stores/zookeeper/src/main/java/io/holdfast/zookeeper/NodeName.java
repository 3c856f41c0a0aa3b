package io.holdfast.zookeeper;

import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import org.jspecify.annotations.Nullable;

/**
 * The name of a claim's node: {@code x-HOLDER-SEQUENCE}, {@code s-…} if it is shared, {@code p3-…} if it is one of three
 * permits. The holder id makes a node findable whose creation was not answered; the sequence, which ZooKeeper appends,
 * is the order of the queue.
 *
 * @param text the whole name
 * @param mode how the claim holds or wants to hold
 * @param permits how many permits its name has, as the claim sees it
 * @param holder whose it is
 * @param sequence ZooKeeper's counter, which overflows into the negative
 */
record NodeName(String text, Mode mode, int permits, HolderId holder, int sequence) {
    private static final int HOLDER_LENGTH = 40;

    /** What is asked for; ZooKeeper appends the sequence. */
    static String prefix(Claim claim) {
        String kind = switch (claim.mode()) {
            case EXCLUSIVE -> "x";
            case SHARED -> "s";
            case PERMIT -> "p" + claim.permits();
        };
        return kind + "-" + claim.holder() + "-";
    }

    /** The name that ZooKeeper made of {@link #prefix}. */
    static NodeName of(Claim claim, String text) {
        int sequence = Integer.parseInt(text.substring(text.indexOf('-') + HOLDER_LENGTH + 2));
        return new NodeName(text, claim.mode(), claim.permits(), claim.holder(), sequence);
    }

    /** Reads a name; null if it is not that of a claim. */
    static @Nullable NodeName parse(String text) {
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

    /** The order of the queue: by signed difference, because the counter is an int that overflows (U20). */
    static int compare(NodeName a, NodeName b) {
        return Integer.signum(a.sequence - b.sequence);
    }
}
