package io.holdfast.cli.store;

import io.holdfast.Holdfast;
import io.holdfast.LockStatus;
import io.holdfast.cli.input.UsageException;
import io.holdfast.spi.StoreUrl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Opens a store for reading only, which creates nothing.
 *
 * <p>The embedded store of this user has no file before its first lock, and then holds nothing. A file that was named and
 * does not exist is a mistake: an empty answer would hide it.
 */
public final class StoreView implements AutoCloseable {
    private final StoreOptions options;
    private @Nullable Holdfast holdfast;

    public StoreView(StoreOptions options) {
        this.options = options;
    }

    public List<LockStatus> list(String prefix, int limit) {
        return isEmpty() ? List.of() : opened().list(prefix, limit);
    }

    public Optional<LockStatus> inspect(String name) {
        return isEmpty() ? Optional.empty() : opened().inspect(name);
    }

    @Override
    public void close() {
        if (holdfast != null) {
            holdfast.close();
        }
    }

    private boolean isEmpty() {
        if (holdfast != null) {
            return false;
        }
        StoreUrl url = StoreUrl.parse(options.url());
        if (!url.scheme().equals("sqlite") || Files.exists(Path.of(url.rest()))) {
            return false;
        }
        if (!options.usual()) {
            throw new UsageException("the lock file " + url.rest()
                    + " does not exist: check --store; holdfast run makes" + " the file with its first lock");
        }
        return true;
    }

    private Holdfast opened() {
        if (holdfast == null) {
            holdfast = options.openToLook();
        }
        return holdfast;
    }
}
