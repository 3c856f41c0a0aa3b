package io.holdfast.zookeeper.session;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import java.util.concurrent.CompletionException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * The failures of a store, with messages that name it.
 *
 * @param location the store as its URL names it, without a password
 * @param base the path above all nodes of the store
 */
public record StoreErrors(String location, String base) {
    /** ZooKeeper answered a request with an error code, or did not answer. {@code what} says what was asked for. */
    public StoreUnavailableException answered(String what, int rc) {
        Code code = Code.get(rc);
        String why = code == null ? "code " + rc : code.toString();
        String remedy = switch (code == null ? Code.SYSTEMERROR : code) {
            case NOAUTH -> ": give user:password@ of the owner of " + base;
            case UNIMPLEMENTED -> ": ZooKeeper 3.6 or newer is needed, with extended types for containers";
            default -> "";
        };
        return new StoreUnavailableException(
                what + ": store " + location + " answered " + why + remedy, code != Code.NOAUTH, null);
    }

    /** No session is open. Nothing was sent. */
    public StoreUnavailableException noSession() {
        return new StoreUnavailableException("store " + location + " has no session at the moment", false, null);
    }

    /** The claim was released before its request was sent. */
    public StoreUnavailableException withdrawn(Claim claim) {
        return new StoreUnavailableException(
                "the request of " + claim.label() + " for lock '" + claim.lockName() + "' was withdrawn", false, null);
    }

    /** Something failed with an outcome that is not known. */
    public StoreUnavailableException unknown(String what, @Nullable Throwable cause) {
        return new StoreUnavailableException(what, true, cause);
    }

    /** The failure itself, without the wrapper that a dependent future puts around it. */
    public static RuntimeException unwrapped(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof RuntimeException known ? known : new CompletionException(cause);
    }
}
