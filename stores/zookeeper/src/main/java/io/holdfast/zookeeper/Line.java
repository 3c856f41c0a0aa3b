package io.holdfast.zookeeper;

import io.holdfast.Mode;
import io.holdfast.spi.HolderId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Those who hold a name or wait for it, in their order, as one list of children shows them. Pure.
 *
 * <p>Whoever is granted stands before everybody who waits: a claim is granted if it is compatible with all before it and
 * all of those are granted. So nobody overtakes, and an exclusive claim is not starved by shared ones behind it.
 */
final class Line {
    private static final String DELAY = "d-";

    private final List<NodeName> claims;
    private final List<HolderId> delays;

    private Line(List<NodeName> claims, List<HolderId> delays) {
        this.claims = claims;
        this.delays = delays;
    }

    static Line of(List<String> children) {
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
                    // Somebody else's node.
                }
            }
        }
        if (claims.size() > 1) {
            claims.sort(NodeName::compare);
        }
        return new Line(claims, delays);
    }

    /** The line of a node that has no siblings. */
    static Line alone(NodeName own) {
        return new Line(List.of(own), List.of());
    }

    /** The node that keeps a holder's lock-delay. */
    static String delayNode(HolderId holder) {
        return DELAY + holder;
    }

    @Nullable
    NodeName find(HolderId holder) {
        for (NodeName claim : claims) {
            if (claim.holder().equals(holder)) {
                return claim;
            }
        }
        return null;
    }

    @Nullable
    NodeName named(String text) {
        for (NodeName claim : claims) {
            if (claim.text().equals(text)) {
                return claim;
            }
        }
        return null;
    }

    /**
     * Others with the same sequence as {@code own}: ZooKeeper's counter stands still at its highest value. Who of them was
     * first, only their czxids tell (U20).
     */
    List<NodeName> tiedWith(NodeName own) {
        return claims.stream()
                .filter(claim -> claim.sequence() == own.sequence() && !claim.equals(own))
                .toList();
    }

    /** The same line, with those that are known to be older than {@code own} before it and the others of a tie behind it. */
    Line resolved(NodeName own, Set<NodeName> older) {
        List<NodeName> ordered = new ArrayList<>(claims);
        ordered.sort(Comparator.<NodeName>comparingInt(claim -> Integer.signum(claim.sequence() - own.sequence()))
                .thenComparing((a, b) -> a.sequence() == own.sequence() ? 0 : NodeName.compare(a, b))
                .thenComparingInt(claim -> claim.equals(own) ? 1 : older.contains(claim) ? 0 : 2));
        return new Line(ordered, delays);
    }

    /** Whether anybody in it has a lock-delay. */
    boolean hasDelays() {
        return !delays.isEmpty();
    }

    boolean hasDelayOf(HolderId holder) {
        return delays.contains(holder);
    }

    /** Lock-delays of holders that are not there any more: their leases ended without a release (L10). */
    List<HolderId> orphans() {
        if (delays.isEmpty()) {
            return List.of();
        }
        Set<HolderId> present = new HashSet<>();
        claims.forEach(claim -> present.add(claim.holder()));
        return delays.stream().filter(holder -> !present.contains(holder)).toList();
    }

    /** All who have a lock-delay, present or not. */
    List<HolderId> delays() {
        return delays;
    }

    /** Those who hold, as far as the order tells; a lock-delay may keep them waiting all the same. */
    List<NodeName> granted() {
        int count = 0;
        while (count < claims.size() && fits(count)) {
            count++;
        }
        return claims.subList(0, count);
    }

    int size() {
        return claims.size();
    }

    boolean startsWith(NodeName own) {
        return !claims.isEmpty() && claims.get(0).equals(own);
    }

    /**
     * Those before {@code own} whose end it has to wait for, the nearest last; empty if it holds. For an exclusive claim
     * these are all before it, for a shared one those that are not shared, for a permit all if there is no room.
     */
    List<NodeName> obstacles(NodeName own) {
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

    /** Whether the claim at this index may hold beside all before it, given that they do. */
    private boolean fits(int index) {
        NodeName claim = claims.get(index);
        if (index == 0) {
            return true;
        }
        // Those before are of one mode, or one of them would not have fitted.
        return claim.mode() != Mode.EXCLUSIVE
                && claims.get(index - 1).mode() == claim.mode()
                && (claim.mode() == Mode.SHARED || index < claim.permits());
    }
}
