package io.holdfast.guard.jdbc;

import io.holdfast.LockNames;
import io.holdfast.Mode;
import io.holdfast.Sequencer;
import org.jspecify.annotations.Nullable;

/** What a guard asks of a sequencer before it asks the database: the lock and, where there is a key, the signature. */
final class SequencerCheck {
    private final String resource;
    private final String lockName;
    private final byte @Nullable [] key;

    private SequencerCheck(String resource, String lockName, byte @Nullable [] key) {
        this.resource = LockNames.check("resource", resource);
        this.lockName = LockNames.check(lockName);
        this.key = key;
    }

    static SequencerCheck of(String resource, String lockName) {
        return new SequencerCheck(resource, lockName, null);
    }

    SequencerCheck signedWith(byte[] secret) {
        if (secret.length < Sequencer.SHORTEST_KEY) {
            throw new IllegalArgumentException("a signing key needs at least " + Sequencer.SHORTEST_KEY
                    + " bytes, but this one has " + secret.length);
        }
        return new SequencerCheck(resource, lockName, secret.clone());
    }

    String resource() {
        return resource;
    }

    String lockName() {
        return lockName;
    }

    void check(Sequencer sequencer) {
        if (!sequencer.lockName().equals(lockName)) {
            throw otherLock(lockName, sequencer);
        }
        if (sequencer.mode() == Mode.PERMIT) {
            throw new IllegalArgumentException(
                    "permits cannot be fenced: the newest token does not make the others stale");
        }
        if (key != null && !sequencer.isSignedWith(key)) {
            throw new IllegalArgumentException(
                    "'" + resource + "' admits signed sequencers only, and this one of lock '" + lockName + "' "
                            + (sequencer.isSigned() ? "has a wrong signature" : "is not signed"));
        }
    }

    IllegalArgumentException otherLock(String guardedBy, Sequencer sequencer) {
        return new IllegalArgumentException("'" + resource + "' is guarded by lock '" + guardedBy
                + "', but the sequencer is of lock '" + sequencer.lockName() + "'");
    }
}
