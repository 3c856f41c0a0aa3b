package io.holdfast.fence;

import io.holdfast.LockNames;
import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import org.jspecify.annotations.Nullable;

/**
 * A guard for a resource inside this process. Its marks end with the process: it protects nothing that outlives it.
 * Thread-safe.
 */
public final class MemoryGuard implements Guard {
    private final String resource;
    private final String lockName;
    private final byte @Nullable [] key;
    private Marks marks = Marks.NONE;
    private long refusals;

    private MemoryGuard(String resource, String lockName, byte @Nullable [] key) {
        this.resource = LockNames.check("resource", resource);
        this.lockName = LockNames.check(lockName);
        this.key = key;
    }

    /** Guards {@code resource}, which the lock {@code lockName} protects. Believes unsigned sequencers. */
    public static MemoryGuard of(String resource, String lockName) {
        return new MemoryGuard(resource, lockName, null);
    }

    /** Guards across a trust boundary: only sequencers signed with {@code key} are believed. */
    public static MemoryGuard signed(String resource, String lockName, byte[] key) {
        return new MemoryGuard(resource, lockName, key.clone());
    }

    @Override
    public String resource() {
        return resource;
    }

    @Override
    public void admit(Sequencer sequencer) {
        check(sequencer);
        Mode mode = sequencer.mode();
        long token = sequencer.token();
        Marks seen;
        synchronized (this) {
            seen = marks;
            if (seen.admits(mode, token)) {
                marks = seen.with(mode, token);
                return;
            }
            refusals++;
        }
        throw new StaleTokenException(resource, lockName, seen.against(mode), token);
    }

    @Override
    public synchronized Marks marks() {
        return marks;
    }

    @Override
    public synchronized long refusals() {
        return refusals;
    }

    private void check(Sequencer sequencer) {
        if (!sequencer.lockName().equals(lockName)) {
            throw new IllegalArgumentException("'" + resource + "' is guarded by lock '" + lockName
                    + "', but the sequencer is of lock '" + sequencer.lockName() + "'");
        }
        if (key != null && !sequencer.isSignedWith(key)) {
            throw new IllegalArgumentException(
                    "'" + resource + "' admits signed sequencers only, and this one of lock '" + lockName + "' "
                            + (sequencer.isSigned() ? "has a wrong signature" : "is not signed"));
        }
    }
}
