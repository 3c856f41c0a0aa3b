package io.holdfast.zookeeper.line;

import io.holdfast.Mode;
import io.holdfast.spi.HolderId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The claims of one lock in their order, as one list of its child nodes shows them. Immutable.
 *
 * <p>A claim is granted if it is compatible with all claims before it and all of those are granted. So granted claims
 * stand before waiting ones, no claim overtakes another, and shared claims do not starve an exclusive one before them.
 */
public final class Line {
    private static final String DELAY = "d-";

    private final List<NodeName> claims;
    private final List<HolderId> delays;

    private Line(List<NodeName> claims, List<HolderId> delays) {
        this.claims = claims;
        this.delays = delays;
    }

    /** Reads the children of a lock's node. Nodes that are neither claims nor lock-delays are left out. */
    public static Line of(List<String> children) {
        List<NodeName> claims = new ArrayList<>(children.size());
        List<HolderId> delays = new ArrayList<>(0);
        for (String child : children) {
            NodeName name = NodeName.parse(child);
            if (name != null) {
                claims.add(name);
            } else if (child.startsWith(DELAY)) {
                try {
                    delays.add(HolderId.parse(child.substring(DELAY.length())));
                } catch (IllegalArgumentException e) {
                    // Not a node of this store.
                }
            }
        }
        if (claims.size() > 1) {
            claims.sort(NodeName::compare);
        }
        return new Line(claims, delays);
    }

    /** The name of the node that keeps a holder's lock-delay. */
    public static String delayNode(HolderId holder) {
        return DELAY + holder;
    }

    /** The first claim with this holder id; null if there is none. */
    public @Nullable NodeName find(HolderId holder) {
        for (NodeName claim : claims) {
            if (claim.holder().equals(holder)) {
                return claim;
            }
        }
        return null;
    }

    /** The claim whose node has this name; null if there is none. */
    public @Nullable NodeName named(String text) {
        for (NodeName claim : claims) {
            if (claim.text().equals(text)) {
                return claim;
            }
        }
        return null;
    }

    /** Other claims with the sequence number of {@code own}; see {@link SequenceTieBreak}. */
    List<NodeName> tiedWith(NodeName own) {
        return claims.stream()
                .filter(claim -> claim.sequence() == own.sequence() && !claim.equals(own))
                .toList();
    }

    /** The same claims; of those with the sequence number of {@code own}, the {@code older} ones before it. */
    Line resolved(NodeName own, Set<NodeName> older) {
        List<NodeName> ordered = new ArrayList<>(claims);
        ordered.sort(Comparator.<NodeName>comparingInt(claim -> Integer.signum(claim.sequence() - own.sequence()))
                .thenComparing((a, b) -> a.sequence() == own.sequence() ? 0 : NodeName.compare(a, b))
                .thenComparingInt(claim -> claim.equals(own) ? 1 : older.contains(claim) ? 0 : 2));
        return new Line(ordered, delays);
    }

    /** Whether the lock has any lock-delay node. */
    public boolean hasDelays() {
        return !delays.isEmpty();
    }

    /** Whether this holder has a lock-delay node. */
    public boolean hasDelayOf(HolderId holder) {
        return delays.contains(holder);
    }

    /** Holders that have a lock-delay node and no claim: their leases ended without a release (L10). */
    public List<HolderId> orphans() {
        if (delays.isEmpty()) {
            return List.of();
        }
        Set<HolderId> present = new HashSet<>();
        claims.forEach(claim -> present.add(claim.holder()));
        return delays.stream().filter(holder -> !present.contains(holder)).toList();
    }

    /** All holders that have a lock-delay node, with or without a claim. */
    public List<HolderId> delays() {
        return delays;
    }

    /** The claims that hold by their order. Orphaned lock-delays, if any, still keep them waiting. */
    public List<NodeName> granted() {
        int count = 0;
        while (count < claims.size() && fits(count)) {
            count++;
        }
        return claims.subList(0, count);
    }

    /** How many claims there are. */
    public int size() {
        return claims.size();
    }

    /**
     * The claims before {@code own} whose end it has to wait for, the nearest last; empty if it holds. An exclusive claim
     * waits for all claims before it, a shared one for those that are not shared, and a permit for all if all permits are
     * taken.
     */
    public List<NodeName> obstacles(NodeName own) {
        int index = claims.indexOf(own);
        boolean room = true;
        List<NodeName> before = claims.subList(0, index);
        for (int i = 0; room && i <= index; i++) {
            room = fits(i);
        }
        if (room) {
            return List.of();
        }
        return own.mode() == Mode.SHARED
                ? before.stream().filter(each -> each.mode() != Mode.SHARED).toList()
                : before;
    }

    /** Whether the claim at this index may hold together with all claims before it, given that those hold. */
    private boolean fits(int index) {
        NodeName claim = claims.get(index);
        if (index == 0) {
            return true;
        }
        // All claims before have one mode; otherwise one of them would not have fitted.
        return claim.mode() != Mode.EXCLUSIVE
                && claims.get(index - 1).mode() == claim.mode()
                && (claim.mode() == Mode.SHARED || index < claim.permits());
    }
}
