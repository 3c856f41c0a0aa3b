package io.holdfast.redlock;

import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.wire.ClientEnd;
import io.holdfast.redis.wire.LentLoops;
import io.holdfast.redis.wire.LuaScript;
import io.holdfast.spi.StoreContext;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The nodes of one deployment, over one client with one set of threads, its own or somebody's. Thread-safe. */
final class Quorum implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.holdfast.redlock");
    private static final int FEW = 3;

    /** Short, because after every round a minority still answers, and those answers must not look like silence. */
    private static final Duration REST = Duration.ofMillis(1);

    private final RedlockConfig config;
    private final RedisClient client;
    private final @Nullable LentLoops loops;
    private final List<RedlockNode> nodes = new ArrayList<>();
    private volatile @Nullable StoreContext context;
    private boolean reachable = true;

    private Quorum(RedlockConfig config, RedisClient client, @Nullable LentLoops loops) {
        this.config = config;
        this.client = client;
        this.loops = loops;
        RunIds runIds = new RunIds();
        Deadlines deadlines = new Deadlines(client.getResources().eventExecutorGroup());
        for (RedisURI uri : config.nodes()) {
            nodes.add(new RedlockNode(client, uri, config, runIds, deadlines, this::changed));
        }
    }

    /** Connects to a majority, or fails. The others are tried in the background. */
    static Quorum open(RedlockConfig config) {
        LentLoops loops = new LentLoops("holdfast-redlock", REST);
        RedisClient client = RedisClient.create(loops.resources());
        client.setOptions(ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                // Deadlines ends what is not answered: Lettuce's own timer for each call would be a second one.
                .timeoutOptions(TimeoutOptions.create())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(config.nodes().get(0).getTimeout())
                        .keepAlive(true)
                        .tcpNoDelay(true)
                        .build())
                .sslOptions(config.tls().options())
                .build());
        return open(new Quorum(config, client, loops));
    }

    /** As {@link #open}, over a client that somebody else closes. */
    static Quorum over(RedisClient client, RedlockConfig config) {
        if (client.getOptions().isAutoReconnect()) {
            throw new IllegalArgumentException("this RedisClient reconnects by itself and would then send votes again"
                    + " that may have counted already: give one with ClientOptions.autoReconnect(false)");
        }
        return open(new Quorum(config, client, null));
    }

    private static Quorum open(Quorum quorum) {
        try {
            quorum.connect();
            return quorum;
        } catch (RuntimeException e) {
            quorum.close();
            throw e;
        }
    }

    private void connect() {
        List<CompletableFuture<Void>> tries =
                nodes.stream().map(RedlockNode::connect).toList();
        CompletableFuture<Void> all = CompletableFuture.allOf(tries.toArray(CompletableFuture[]::new));
        try {
            all.get(config.nodes().get(0).getTimeout().toMillis() + 1000, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException(where() + ": interrupted while connecting", false, e);
        } catch (java.util.concurrent.ExecutionException | TimeoutException slow) {
            // A connection that is still being made is one that failed, as far as the count below goes.
        }
        for (RedlockNode node : nodes) {
            IllegalArgumentException unfit = node.unfit();
            if (unfit != null) {
                throw unfit;
            }
        }
        if (connected() < config.majority()) {
            throw new StoreUnavailableException(
                    where() + ": only " + connected() + " of " + size() + " nodes can be reached and a majority is "
                            + config.majority() + "; " + troubles(),
                    false,
                    null);
        }
        if (size() <= FEW) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    where() + ": with " + size() + " nodes, one that restarts leaves no spare; use five");
        }
    }

    /** A script call to all nodes; {@code args} are those that follow the four of node.lua. */
    NodeRequest request(LuaScript script, String[] keys, long timeoutNanos, String... args) {
        String[] all = new String[args.length + 3];
        all[0] = Long.toString(config.maxTtl().toMillis());
        all[1] = config.fsyncAlways() ? "always" : "-";
        all[2] = config.quarantine() ? "-" : "off";
        System.arraycopy(args, 0, all, 3, args.length);
        return new NodeRequest(script, keys, timeoutNanos, all);
    }

    List<RedlockNode> nodes() {
        return nodes;
    }

    /** Sends, and reads the answer on this thread where the client is ours and nobody else does (ADR 30). */
    <T> CompletableFuture<T> onThisThread(Supplier<CompletableFuture<T>> send) {
        LentLoops lent = loops;
        return lent == null ? send.get() : lent.drive(send);
    }

    int size() {
        return nodes.size();
    }

    int majority() {
        return config.majority();
    }

    String where() {
        return nodes.stream().map(RedlockNode::address).collect(Collectors.joining(",", "redlock://", ""));
    }

    void attach(StoreContext attached) {
        context = attached;
    }

    StoreContext context() {
        StoreContext attached = context;
        if (attached == null) {
            throw new IllegalStateException("this store is not attached to a client: call attach first");
        }
        return attached;
    }

    long now() {
        return context().ticker().nanos();
    }

    /** Names each node that did not count, why, and for how many seconds. */
    StoreUnavailableException tooFew(String lockName, List<Round.Answer> answers) {
        List<String> reasons = new ArrayList<>();
        boolean unknown = false;
        for (RedlockNode node : nodes) {
            Round.Answer answer = answers.stream()
                    .filter(each -> each.node() == node)
                    .findFirst()
                    .orElse(null);
            String reason = reason(node, answer);
            if (!reason.isEmpty()) {
                reasons.add(node.address() + " " + reason);
            }
            unknown |= answer == null || mayHaveArrived(answer.failure());
        }
        return new StoreUnavailableException(
                "lock '" + lockName + "': fewer than " + majority() + " of " + size() + " nodes count: "
                        + String.join("; ", reasons),
                unknown,
                null);
    }

    private static boolean mayHaveArrived(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof StoreUnavailableException known ? known.outcomeUnknown() : cause != null;
    }

    private String reason(RedlockNode node, Round.@Nullable Answer answer) {
        if (answer == null) {
            return "has not answered yet";
        }
        Reply reply = answer.reply();
        if (reply == null) {
            return node.connected() ? "did not answer in time" : "cannot be reached (" + node.trouble() + ")";
        }
        if (reply.maxTtlMillis() != config.maxTtl().toMillis()) {
            return "keeps maxTtl=" + reply.maxTtlMillis() + "ms for the whole deployment, but this client has "
                    + config.maxTtl().toMillis() + "ms";
        }
        if (answer.counts()) {
            return "";
        }
        long left = node.trust().leftMillis(reply, now());
        return left > 0
                ? "forgot its votes and is in quarantine for " + (left + 999) / 1000 + " s more"
                : "forgot its fences and relearns them from the others";
    }

    private int connected() {
        return (int) nodes.stream().filter(RedlockNode::connected).count();
    }

    private String troubles() {
        return nodes.stream()
                .filter(node -> !node.connected())
                .map(node -> node.address() + ": " + node.trouble())
                .collect(Collectors.joining("; "));
    }

    /** A node was connected or lost: tells the engine when that made or unmade a majority. */
    private void changed() {
        StoreContext attached = context;
        boolean now = connected() >= majority();
        synchronized (this) {
            if (now == reachable) {
                return;
            }
            reachable = now;
        }
        if (attached != null && now) {
            attached.signals().connected();
        } else if (attached != null) {
            attached.signals().disconnected();
        }
    }

    @Override
    public void close() {
        if (loops == null) {
            nodes.forEach(RedlockNode::disconnect);
        } else {
            nodes.forEach(RedlockNode::close);
            ClientEnd.shutdown(client);
        }
    }
}
