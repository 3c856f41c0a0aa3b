package io.holdfast.tck;

import io.holdfast.spi.Claim;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.WatchableStore;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/** A store in pull mode whose releases are announced to the clients that watch the name. */
public final class HintingStore extends PullStore implements WatchableStore {
    /** The watches of all clients of one backend. */
    static final class Board {
        private record Watcher(String lockName, Runnable wake) {}

        private final List<Watcher> watchers = new CopyOnWriteArrayList<>();

        Watch watch(String lockName, Runnable wake) {
            Watcher watcher = new Watcher(lockName, wake);
            watchers.add(watcher);
            return () -> watchers.remove(watcher);
        }

        void announce(String lockName) {
            for (Watcher watcher : watchers) {
                if (watcher.lockName.equals(lockName)) {
                    watcher.wake.run();
                }
            }
        }
    }

    private final Board board;

    HintingStore(LockStore store, Board board) {
        super(store);
        this.board = board;
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        return super.release(claim).whenComplete((result, failure) -> board.announce(claim.lockName()));
    }

    @Override
    public Watch watch(String lockName, Runnable wake) {
        return board.watch(lockName, wake);
    }
}
