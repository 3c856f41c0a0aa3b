package io.holdfast.guard.redis.mark;

import io.holdfast.Sequencer;
import io.lettuce.core.cluster.SlotHash;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Where the marks of a resource are in Redis, and the rule for them in Lua. {@code RedisGuard} and {@code admit} of the
 * Redis store both use this class, so that they agree. With {@code P} for {@code namespace:hf:}, or {@code hf:} without
 * a namespace:
 *
 * <pre>
 *   P{r}:m:name   the marks of a resource       stays
 *   P{r}:d:name   what was written to it last   stays; after RedisOptimistic for an hour
 * </pre>
 *
 * <p>{@code r} is the hash tag of the resource's name, or else the name itself. For a name with a closing brace and
 * without a hash tag it is the smallest number in the slot of the name.
 */
public final class ResourceMarks {
    private final String prefix;

    /**
     * Marks in this namespace; empty for none.
     *
     * @throws IllegalArgumentException if the namespace contains a brace
     */
    public ResourceMarks(String namespace) {
        this.prefix = prefix(namespace);
    }

    /**
     * What every key of Holdfast in this namespace begins with.
     *
     * @throws IllegalArgumentException if the namespace contains a brace
     */
    public static String prefix(String namespace) {
        if (namespace.indexOf('{') >= 0 || namespace.indexOf('}') >= 0) {
            throw new IllegalArgumentException("namespace '" + namespace
                    + "' contains a brace, which would change where a cluster keeps the keys: remove it");
        }
        return namespace.isEmpty() ? "hf:" : namespace + ":hf:";
    }

    /** The key of the marks of a resource: in the slot of a key that is named like the resource. */
    public String mark(String resource) {
        return beside(resource) + ":m:" + resource;
    }

    /** The key of the last writes to a resource, or to the value of a key; in the same slot. */
    public String done(String resource) {
        return beside(resource) + ":d:" + resource;
    }

    /** The rule as a Lua function {@code judge}, which a script begins with; see {@code marks.lua}. */
    public static String rule() {
        try (InputStream in = ResourceMarks.class.getResourceAsStream("marks.lua")) {
            if (in == null) {
                throw new IllegalStateException("marks.lua is missing from the jar of " + ResourceMarks.class);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Arguments of a script that begins with the {@link #rule()}; those after the first three are left to the caller. */
    public static String[] arguments(Sequencer sequencer, int length) {
        String[] args = new String[length];
        args[0] = switch (sequencer.mode()) {
            case EXCLUSIVE -> "X";
            case SHARED -> "S";
            case PERMIT ->
                throw new IllegalArgumentException(
                        "permits cannot be fenced: the newest token does not make the others stale");
        };
        args[1] = Long.toString(sequencer.token());
        args[2] = sequencer.lockName();
        return args;
    }

    private String beside(String resource) {
        int open = resource.indexOf('{');
        int close = resource.indexOf('}', open + 1);
        String tag;
        if (open >= 0 && close > open + 1) {
            tag = resource.substring(open + 1, close);
        } else {
            // The whole name decides about the slot. With a brace in it, it cannot be a hash tag itself.
            tag = resource.indexOf('}') < 0 ? resource : tagOfSlot(SlotHash.getSlot(resource));
        }
        return prefix + "{" + tag + "}";
    }

    /** The smallest number that is a hash tag of this slot. */
    private static String tagOfSlot(int slot) {
        int number = 0;
        while (SlotHash.getSlot(Integer.toString(number)) != slot) {
            number++;
        }
        return Integer.toString(number);
    }
}
