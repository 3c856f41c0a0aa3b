package io.holdfast.cli.store;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.LockNames;
import io.holdfast.cli.input.Arguments;
import io.holdfast.cli.input.Syntax;
import io.holdfast.cli.output.Source;
import io.holdfast.cli.supervise.RunEnvironment;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.sqlite.EmbeddedStoreProvider;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which store a command works on.
 *
 * @param url as given, a relative file made absolute; may contain a password
 * @param namespace empty for none
 * @param usual whether it is the embedded store of this user, the default
 */
public record StoreOptions(String url, String namespace, boolean usual) {
    /** The TTL of a lock if the command line names none. */
    public static final Duration DEFAULT_TTL = Duration.ofSeconds(30);

    /** The store of this user on this machine. */
    public static final String EMBEDDED = "sqlite:";

    public static Syntax addTo(Syntax syntax) {
        return syntax.option(
                        "--store",
                        "URL",
                        "The store; without it $" + Holdfast.STORE_VARIABLE + ", and without that the embedded store"
                                + " of this user on this machine (" + EMBEDDED + ").")
                .option(
                        "--namespace",
                        "NAME",
                        "Separates users of one store; without it $" + RunEnvironment.NAMESPACE + ".");
    }

    public static StoreOptions of(Arguments arguments) {
        String namespace = arguments.value("--namespace").orElseGet(() -> variable(RunEnvironment.NAMESPACE));
        if (!namespace.isEmpty()) {
            LockNames.check("namespace", namespace);
        }
        Optional<String> given = arguments.value("--store");
        @Nullable String variable = System.getenv(Holdfast.STORE_VARIABLE);
        if (given.isEmpty() && variable == null) {
            return new StoreOptions(StoreUrls.embedded(), namespace, true);
        }
        // A variable that is set and empty is a mistake in a script, and not a wish for a private store.
        String source = given.isPresent() ? "--store" : "$" + Holdfast.STORE_VARIABLE;
        String text = given.orElse(variable);
        return new StoreOptions(
                StoreUrls.resolve(source, text), namespace, text.strip().equals(EMBEDDED));
    }

    /** Where answers come from, for people. Embedded, SQL and Redlock keep no list of waiters. */
    public Source source() {
        StoreUrl parsed = StoreUrl.parse(url);
        boolean counts = parsed.scheme().startsWith("zk") || parsed.scheme().startsWith("etcd");
        boolean queues = counts || parsed.scheme().startsWith("redis");
        return new Source(parsed.toString(), namespace, queues, !counts);
    }

    /** Whether no other process can see what is locked there. */
    public boolean isPrivate() {
        return StoreUrl.parse(url).scheme().equals("memory");
    }

    public HoldfastBuilder builder() {
        HoldfastBuilder builder = Holdfast.builder();
        StoreUrl parsed = StoreUrl.parse(url);
        if (parsed.scheme().equals("sqlite")) {
            // Not found by its scheme: to look for providers opens every jar, which is slower than all the rest.
            builder.store(new EmbeddedStoreProvider().open(parsed, new StoreProvider.Settings(namespace, DEFAULT_TTL)));
        } else {
            builder.url(url).namespace(namespace);
        }
        KernelRandom.open().ifPresent(builder::random);
        return builder;
    }

    public Holdfast open() {
        return builder().open();
    }

    /** For commands that only look: they create neither a file nor tables. */
    public Holdfast openToLook() {
        String option = switch (StoreUrl.parse(url).scheme()) {
            case "sqlite" -> "readOnly=true";
            case "jdbc" -> "holdfast.readOnly=true";
            default -> "";
        };
        if (option.isEmpty() || url.contains(option)) {
            return open();
        }
        return new StoreOptions(url + (url.contains("?") ? "&" : "?") + option, namespace, usual).open();
    }

    /** What makes a {@code holdfast} inside the command use the same store, whatever its working directory is. */
    public Map<String, String> environment() {
        return Map.of(Holdfast.STORE_VARIABLE, url, RunEnvironment.NAMESPACE, namespace);
    }

    private static String variable(String name) {
        String value = System.getenv(name);
        return value == null ? "" : value;
    }
}
