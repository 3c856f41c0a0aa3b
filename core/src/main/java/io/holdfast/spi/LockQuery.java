package io.holdfast.spi;

/**
 * What {@link LockStore#inspect} looks at.
 *
 * @param text a name or the beginning of names; an empty prefix means all
 * @param prefix whether {@code text} is the beginning of names
 * @param limit the most names that are wanted
 */
public record LockQuery(String text, boolean prefix, int limit) {
    /** One name. It is answered even if nobody holds it, as long as the store knows anything of it. */
    public static LockQuery name(String name) {
        return new LockQuery(name, false, 1);
    }

    /** All names that begin so and that somebody holds, waits for, or keeps closed, in the order of their bytes. */
    public static LockQuery prefix(String prefix, int limit) {
        return new LockQuery(prefix, true, limit);
    }
}
