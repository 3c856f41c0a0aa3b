package io.holdfast.cli.command;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.LockNames;
import io.holdfast.cli.supervise.RunEnvironment;
import io.holdfast.jdbc.EmbeddedStoreProvider;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import java.nio.file.Path;
import java.util.Map;

/**
 * Which store a command works on.
 *
 * @param url as given, a relative file made absolute; may contain a password
 * @param namespace empty for none
 */
record StoreOptions(String url, String namespace) {
    /** The store of this user on this machine. */
    static final String EMBEDDED = "sqlite:";

    static Syntax addTo(Syntax syntax) {
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

    static StoreOptions of(Arguments arguments) {
        String url = arguments.value("--store").orElseGet(() -> variable(Holdfast.STORE_VARIABLE));
        String namespace = arguments.value("--namespace").orElseGet(() -> variable(RunEnvironment.NAMESPACE));
        if (!namespace.isEmpty()) {
            LockNames.check("namespace", namespace);
        }
        return new StoreOptions(url.isBlank() ? EMBEDDED : absolute(url.strip()), namespace);
    }

    HoldfastBuilder builder() {
        HoldfastBuilder builder = Holdfast.builder();
        StoreUrl parsed = StoreUrl.parse(url);
        if (parsed.scheme().equals("sqlite")) {
            // Not found by its scheme: to look for providers opens every jar, which is slower than all the rest.
            builder.store(new EmbeddedStoreProvider()
                    .open(parsed, new StoreProvider.Settings(namespace, RunCommand.DEFAULT_TTL)));
        } else {
            builder.url(url).namespace(namespace);
        }
        KernelRandom.open().ifPresent(builder::random);
        return builder;
    }

    Holdfast open() {
        return builder().open();
    }

    /** What makes a {@code holdfast} inside the command use the same store, whatever its working directory is. */
    Map<String, String> environment() {
        return Map.of(Holdfast.STORE_VARIABLE, url, RunEnvironment.NAMESPACE, namespace);
    }

    private static String variable(String name) {
        String value = System.getenv(name);
        return value == null ? "" : value;
    }

    private static String absolute(String url) {
        StoreUrl parsed = StoreUrl.parse(url);
        String rest = parsed.rest();
        if (!parsed.scheme().equals("sqlite") || rest.isEmpty() || rest.startsWith("/")) {
            return url;
        }
        String options = url.substring(url.indexOf(':') + 1 + rest.length());
        return EMBEDDED + Path.of(rest).toAbsolutePath() + options;
    }
}
