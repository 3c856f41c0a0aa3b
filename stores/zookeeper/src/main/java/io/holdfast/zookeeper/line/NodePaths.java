package io.holdfast.zookeeper.line;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The paths of nodes in ZooKeeper's tree, below the root that the URL names:
 *
 * <pre>
 *   root[/spaces/NAMESPACE]/names/NAME        a container: ZooKeeper deletes it some time after its last child
 *   …/names/NAME/x-HOLDER-SEQUENCE            one claim, see {@link NodeName}
 *   …/names/NAME/d-HOLDER                     the lock-delay of one holder
 *   …/clients/SESSION                         written by every heartbeat of the session (U3)
 * </pre>
 *
 * <p>Lock names are not trusted as paths. Every byte of their UTF-8 form outside of a small set of plain characters is
 * escaped, so two names never share a node and no name leads to another path.
 *
 * @param base the path above all nodes; empty for the root of the tree
 */
public record NodePaths(String base) {
    private static final String PLAIN = "-_:@+=,~!";

    /** The paths below a root, in a namespace unless that is empty. */
    public static NodePaths of(String root, String namespace) {
        return new NodePaths(
                (root.equals("/") ? "" : root) + (namespace.isEmpty() ? "" : "/spaces/" + encode(namespace)));
    }

    /** The node above all locks. */
    public String names() {
        return base + "/names";
    }

    /** The node above all heartbeat nodes. */
    public String clients() {
        return base + "/clients";
    }

    /** The node of a lock, above its claims. */
    public String name(String lockName) {
        return names() + "/" + encode(lockName);
    }

    /** The heartbeat node of a session. */
    public String client(long sessionId) {
        return clients() + "/" + Long.toHexString(sessionId);
    }

    /** This path and all paths above it, the highest first. */
    public static List<String> withParents(String path) {
        List<String> all = new ArrayList<>();
        for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
            all.add(path.substring(0, slash));
        }
        all.add(path);
        return all;
    }

    /** The node name for a lock name. */
    public static String encode(String lockName) {
        byte[] bytes = lockName.getBytes(StandardCharsets.UTF_8);
        boolean dots = lockName.equals(".") || lockName.equals("..");
        StringBuilder text = new StringBuilder(bytes.length + 16);
        for (byte each : bytes) {
            char c = (char) (each & 0xff);
            boolean plain = (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || (c == '.' && !dots)
                    || PLAIN.indexOf(c) >= 0;
            if (plain) {
                text.append(c);
            } else {
                text.append('%').append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 0xf, 16));
            }
        }
        return text.toString();
    }

    /**
     * The lock name that {@link #encode} turned into this node name.
     *
     * @throws IllegalArgumentException if no lock name is encoded so: it is not a node of this store
     */
    public static String decode(String node) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(node.length());
        for (int i = 0; i < node.length(); i++) {
            char c = node.charAt(i);
            if (c != '%') {
                bytes.write(c);
            } else if (i + 2 < node.length()) {
                bytes.write(Integer.parseInt(node, i + 1, i + 3, 16));
                i += 2;
            } else {
                throw new IllegalArgumentException("node '" + node + "' has a broken escape");
            }
        }
        String name = bytes.toString(StandardCharsets.UTF_8);
        if (!encode(name).equals(node)) {
            throw new IllegalArgumentException("node '" + node + "' is no encoded lock name");
        }
        return name;
    }

    /** The lock names among these nodes that start with {@code prefix}, in the order of their bytes. */
    public static List<String> decode(List<String> children, String prefix) {
        List<String> names = new ArrayList<>();
        for (String child : children) {
            try {
                String name = decode(child);
                if (name.startsWith(prefix)) {
                    names.add(name);
                }
            } catch (IllegalArgumentException e) {
                // Not a node of this store.
            }
        }
        names.sort(Comparator.comparing(name -> name.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned));
        return names;
    }
}
