package io.holdfast.sim;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The engine warns of every lost lease and every abandoned one; in millions of runs that is all it would say. */
final class QuietLogs implements BeforeAllCallback {
    /** Held here, because the logging system drops a logger that has no reference, with its level. */
    private static final Logger ENGINE = Logger.getLogger("io.holdfast");

    @Override
    public void beforeAll(ExtensionContext context) {
        ENGINE.setLevel(Level.OFF);
    }
}
