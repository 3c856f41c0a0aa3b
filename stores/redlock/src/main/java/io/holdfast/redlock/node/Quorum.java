package io.holdfast.redlock.node;

import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.wire.ClientConnector;
import io.holdfast.redis.wire.ClientEnd;
import io.holdfast.redis.wire.LuaScript;
import io.holdfast.redlock.config.DeploymentSettings;
import io.holdfast.redlock.config.RedlockConfig;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.support.CallDeadlines;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The nodes of one deployment, over one client with one set of threads. Thread-safe. */
public final class Quorum implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.holdfast.redlock");
    private static final int FEW = 3;
    private static final int SETTINGS = 3;

    /** For how long a connected majority waits for the other nodes when it is opened. */
    private static final long GRACE_MILLIS = 250;

    private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int TAGS = 36 * 36 * 36 * 36;

    private final RedlockConfig config;
    private final RedisClient client;
    private final boolean owned;
    private final DeploymentSettings settings;
    private final String[] settingsArgs;
    private final AtomicInteger tags = new AtomicInteger();
    private final List<RedlockNode> nodes = new ArrayList<>();
    private volatile @Nullable StoreContext context;
    private boolean reachable = true;

    private Quorum(RedlockConfig config, RedisClient client, boolean owned) {
        this.config = config;
        this.client = client;
        this.owned = owned;
        this.settings = DeploymentSettings.of(config);
        this.settingsArgs = settings.values().toArray(String[]::new);
        RunIds runIds = new RunIds();
        CallDeadlines<NodeCall> underWay = new CallDeadlines<>(
                System::nanoTime,
                (task, nanos) -> client.getResources().eventExecutorGroup().schedule(task, nanos, TimeUnit.NANOSECONDS),
                SWEEP_NANOS);
        for (RedisURI uri : config.nodes()) {
            nodes.add(new RedlockNode(client, uri, config, runIds, underWay, this::changed));
        }
    }

    /** Connects to a majority, or fails. The others are tried in the background. */
    public static Quorum open(RedlockConfig config) {
        RedisClient client = RedisClient.create(ClientConnector.resources());
        client.setOptions(ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                // Every call has a deadline in CallDeadlines already; a timer of Lettuce would be a second one.
                .timeoutOptions(TimeoutOptions.create())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(config.nodes().get(0).getTimeout())
                        .keepAlive(true)
                        .tcpNoDelay(true)
                        .build())
                .sslOptions(config.tls().options())
                .build());
        return open(new Quorum(config, client, true));
    }

    /** As {@link #open}, over a client that the caller closes. */
    public static Quorum over(RedisClient client, RedlockConfig config) {
        if (client.getOptions().isAutoReconnect()) {
            throw new IllegalArgumentException("this RedisClient reconnects by itself and would then send votes again"
                    + " that may have counted already: give one with ClientOptions.autoReconnect(false)");
        }
        return open(new Quorum(config, client, false));
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

    /** A connected majority is enough to begin; the others join when they can. */
    private void connect() {
        List<CompletableFuture<Void>> tries =
                nodes.stream().map(RedlockNode::connect).toList();
        CompletableFuture<Void> all = CompletableFuture.allOf(tries.toArray(CompletableFuture[]::new));
        CompletableFuture<Void> enough = new CompletableFuture<>();
        for (CompletableFuture<Void> each : tries) {
            each.thenRun(() -> {
                if (connected() >= majority()) {
                    enough.complete(null);
                }
            });
        }
        all.thenRun(() -> enough.complete(null));
        waitFor(enough, config.nodes().get(0).getTimeout().toMillis() + 1000);
        // A node that answers at all may have to be refused, and that is better told here than logged later.
        waitFor(all, connected() >= majority() ? GRACE_MILLIS : 0);
        for (RedlockNode node : nodes) {
            IllegalArgumentException unfit = node.unfit();
            if (unfit != null) {
                throw unfit;
            }
        }
        if (connected() < majority()) {
            throw new StoreUnavailableException(
                    where() + ": only " + connected() + " of " + size() + " nodes can be reached and a majority is "
                            + majority() + "; " + troubles(),
                    false,
                    null);
        }
        if (size() <= FEW) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    where() + ": with " + size() + " nodes, one that restarts leaves no spare; use five");
        }
    }

    /** A connection that is still being made after that counts as failed. */
    private void waitFor(CompletableFuture<Void> done, long millis) {
        try {
            done.get(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException(where() + ": interrupted while connecting", false, e);
        } catch (ExecutionException | TimeoutException slow) {
            LOG.log(System.Logger.Level.DEBUG, "{0}: not all nodes are connected yet", where());
        }
    }

    /** A script call to all nodes; {@code args} are those between the first four of node.lua and the tag. */
    public NodeRequest request(LuaScript script, String[] keys, long timeoutNanos, String... args) {
        String[] all = new String[SETTINGS + args.length + 1];
        System.arraycopy(settingsArgs, 0, all, 0, SETTINGS);
        System.arraycopy(args, 0, all, SETTINGS, args.length);
        // Far more tags than calls that are under way at a time.
        all[all.length - 1] = Integer.toString(Math.floorMod(tags.incrementAndGet(), TAGS), 36);
        return new NodeRequest(script, keys, timeoutNanos, all);
    }

    public List<RedlockNode> nodes() {
        return nodes;
    }

    public int size() {
        return nodes.size();
    }

    public int majority() {
        return config.majority();
    }

    public String where() {
        return nodes.stream().map(RedlockNode::address).collect(Collectors.joining(",", "redlock://", ""));
    }

    public void attach(StoreContext attached) {
        context = attached;
    }

    public StoreContext context() {
        StoreContext attached = context;
        if (attached == null) {
            throw new IllegalStateException("this store is not attached to a client: call attach first");
        }
        return attached;
    }

    public long now() {
        return context().ticker().nanos();
    }

    /** Names each node that did not count, why, and for how many seconds. */
    public StoreUnavailableException tooFew(String lockName, List<Round.Answer> answers) {
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
        String conflict =
                reply.settings().isEmpty() ? "" : settings.conflictWith(DeploymentSettings.parse(reply.settings()));
        if (!conflict.isEmpty()) {
            return conflict;
        }
        if (answer.counts()) {
            return "";
        }
        long left = node.trust().leftMillis(reply, now());
        return left > 0
                ? "is new or has forgotten its votes, and is in quarantine for " + (left + 999) / 1000 + " s more"
                : "is new or has forgotten its fences, and learns them from the others";
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
        if (attached == null) {
            return;
        }
        try {
            if (now) {
                attached.signals().connected();
            } else {
                attached.signals().disconnected();
            }
        } catch (Throwable e) { // L13: a listener that fails must not keep the node from being connected again
            LOG.log(System.Logger.Level.WARNING, where() + ": a listener of the connection failed", e);
        }
    }

    @Override
    public void close() {
        if (owned) {
            nodes.forEach(RedlockNode::close);
            ClientEnd.shutdown(client);
        } else {
            nodes.forEach(RedlockNode::disconnect);
        }
    }
}
