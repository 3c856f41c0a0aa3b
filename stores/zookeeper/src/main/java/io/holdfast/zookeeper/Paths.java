package io.holdfast.zookeeper;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Where things are in ZooKeeper's tree, below a root that the user chose:
 *
 * <pre>
 *   root[/spaces/NAMESPACE]/names/NAME        a container: it disappears when nothing has been below it for a while
 *   …/names/NAME/x-HOLDER-SEQUENCE            one claim, see {@link NodeName}
 *   …/names/NAME/d-HOLDER                     the lock-delay of one holder
 *   …/clients/SESSION                         written again and again: the heartbeat of a session (U3)
 * </pre>
 *
 * <p>Lock names are not trusted as paths: every byte of their UTF-8 form that is not plainly harmless is escaped, so that
 * two names never share a node and no name leaves its place.
 */
record Paths(String base) {
    private static final String PLAIN = "-_:@+=,~!";

    static Paths of(String root, String namespace) {
        return new Paths((root.equals("/") ? "" : root) + (namespace.isEmpty() ? "" : "/spaces/" + encode(namespace)));
    }

    String names() {
        return base + "/names";
    }

    String clients() {
        return base + "/clients";
    }

    String name(String lockName) {
        return names() + "/" + encode(lockName);
    }

    String client(long sessionId) {
        return clients() + "/" + Long.toHexString(sessionId);
    }

    /** This path and all above it, the highest first. */
    static List<String> withParents(String path) {
        List<String> all = new ArrayList<>();
        for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
            all.add(path.substring(0, slash));
        }
        all.add(path);
        return all;
    }

    static String encode(String lockName) {
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
     * The name that {@link #encode} made this of.
     *
     * @throws IllegalArgumentException if it made it of none: somebody else's node
     */
    static String decode(String node) {
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

    /** The names among these nodes that begin so, in the order of their bytes. */
    static List<String> decode(List<String> children, String prefix) {
        List<String> names = new ArrayList<>();
        for (String child : children) {
            try {
                String name = decode(child);
                if (name.startsWith(prefix)) {
                    names.add(name);
                }
            } catch (IllegalArgumentException e) {
                // Somebody else's node.
            }
        }
        names.sort(Comparator.comparing(name -> name.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned));
        return names;
    }
}
