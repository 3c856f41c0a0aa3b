package io.holdfast.bench.store;

import io.holdfast.servers.EtcdServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;

/** What an etcd server says about its own load. */
public final class EtcdCounters {
    public static final String MESSAGES = "messages";

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private EtcdCounters() {}

    /** Messages from clients: calls, and what came in on open streams, as keep-alives and watches. */
    public static Map<String, Double> counters(EtcdServer server) {
        return Map.of(MESSAGES, received(metrics(server.address())));
    }

    public static double received(String metrics) {
        return metrics.lines()
                .filter(line -> line.startsWith("grpc_server_msg_received_total{"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private static String metrics(String address) {
        HttpRequest question = HttpRequest.newBuilder(URI.create("http://" + address + "/metrics"))
                .build();
        try {
            return HTTP.send(question, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            throw new UncheckedIOException("etcd does not tell its load", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
