package io.holdfast.servers;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A real etcd: alone, or a member of an {@link EtcdCluster}. Its first port serves clients, the second its peers, the
 * third says whether it is well. It flushes its log as in production.
 */
public final class EtcdServer extends ServerProcess {
    private static final Duration ANSWER = Duration.ofSeconds(2);
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .connectTimeout(ANSWER)
            .version(HttpClient.Version.HTTP_1_1)
            .build();

    private final List<String> options;
    private final boolean tls;

    /**
     * Configures a member that is not started yet.
     *
     * @param options further options of the command, as in {@code --max-txn-ops=64}; with {@code --cert-file=} it
     *     speaks TLS with its clients
     */
    public EtcdServer(List<String> options) {
        super("etcd", 3);
        this.options = new ArrayList<>(options);
        this.tls = options.stream().anyMatch(option -> option.startsWith("--cert-file="));
    }

    /** A started server of one member. */
    public static EtcdServer open(String... options) {
        return started(new EtcdServer(List.of(options)));
    }

    /** Its URL for the store. */
    public String url() {
        return (tls ? "etcds://" : "etcd://") + address();
    }

    /** Host and port for clients. */
    public String address() {
        return HOST + ":" + port();
    }

    /** Sends a JSON request to etcd's gateway, as in {@code post("/v3/maintenance/status", "{}")}. */
    public String post(String path, String json) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + address() + path))
                .timeout(TimeScale.of(ANSWER.multipliedBy(5)))
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build();
        try {
            HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new IllegalStateException(this + ": " + path + " was answered with " + response.body());
            }
            return response.body();
        } catch (IOException e) {
            throw new IllegalStateException(this + ": " + path + ": " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(this + ": " + path + ": interrupted", e);
        }
    }

    /** Before the start: what this member is told of its cluster. */
    void join(String memberName, String peers, int peerPort) {
        options.add("--name=" + memberName);
        options.add("--initial-cluster=" + peers);
        options.add("--initial-advertise-peer-urls=http://" + HOST + ":" + peerPort);
    }

    @Override
    protected List<String> command() {
        String peer = "http://" + HOST + ":" + port(1);
        String clients = (tls ? "https://" : "http://") + address();
        List<String> command = new ArrayList<>(List.of(
                EtcdBinary.find().toString(),
                "--data-dir=" + data().resolve("etcd"),
                "--logger=zap",
                "--log-level=warn",
                "--listen-peer-urls=" + peer,
                "--listen-client-urls=" + clients,
                "--advertise-client-urls=" + clients,
                "--listen-metrics-urls=" + health()));
        if (options.stream().noneMatch(option -> option.startsWith("--initial-cluster="))) {
            command.add("--initial-cluster=default=" + peer);
            command.add("--initial-advertise-peer-urls=" + peer);
        }
        command.addAll(options);
        return command;
    }

    /** etcd 3.4 starts on 64-bit ARM only if it is told that this is meant. */
    @Override
    protected Map<String, String> environment() {
        return System.getProperty("os.arch").equals("aarch64") ? Map.of("ETCD_UNSUPPORTED_ARCH", "arm64") : Map.of();
    }

    @Override
    protected boolean answers() throws IOException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(health() + "/health"))
                .timeout(TimeScale.of(ANSWER))
                .build();
        try {
            return HTTP.send(request, HttpResponse.BodyHandlers.ofString())
                    .body()
                    .replace(" ", "")
                    .contains("\"health\":\"true\"");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private String health() {
        return "http://" + HOST + ":" + port(2);
    }
}
