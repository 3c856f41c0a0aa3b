package io.holdfast.servers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A real etcd cluster. The members speak to each other through proxies, so that {@link #splitAll()} leaves each alone
 * while it still answers its clients.
 */
public final class EtcdCluster implements AutoCloseable {
    private static final Pattern LEADER = Pattern.compile("\"leader\":\\s*\"(\\d+)\"");
    private static final Pattern MEMBER = Pattern.compile("\"member_id\":\\s*\"(\\d+)\"");

    private final List<EtcdServer> members = new ArrayList<>();
    private final List<TcpProxy> peers = new ArrayList<>();

    private EtcdCluster() {}

    /** A cluster that has a leader and serves. */
    public static EtcdCluster open(int size, String... options) {
        EtcdCluster cluster = new EtcdCluster();
        try {
            for (int i = 0; i < size; i++) {
                EtcdServer member = new EtcdServer(List.of(options));
                cluster.members.add(member);
                cluster.peers.add(TcpProxy.to(member.port(1)));
            }
            cluster.start();
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** The members. */
    public List<EtcdServer> members() {
        return List.copyOf(members);
    }

    /** The URL of all members for the store. */
    public String url() {
        return "etcd://" + members.stream().map(EtcdServer::address).collect(Collectors.joining(","));
    }

    /** The member that leads, as the first that answers sees it; waits until there is one. */
    public EtcdServer leader() {
        return awaitLeader(members);
    }

    /** The members other than this one. */
    public List<EtcdServer> others(EtcdServer than) {
        return members.stream().filter(member -> member != than).toList();
    }

    /** Waits until one of {@code among}, all of which run, leads. */
    public EtcdServer awaitLeader(List<EtcdServer> among) {
        Duration longest = TimeScale.of(Duration.ofSeconds(20));
        long end = System.nanoTime() + longest.toNanos();
        while (System.nanoTime() - end < 0) {
            for (EtcdServer member : among) {
                if (leads(member)) {
                    return member;
                }
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        throw new ServerStartException("none of " + among + " led within " + longest.toSeconds() + " s", null);
    }

    /** Cuts every member off from every other. */
    public void splitAll() {
        peers.forEach(TcpProxy::cut);
    }

    /**
     * Cuts this member off from the others, which still reach each other; clients still reach all of them. The members
     * dial each other at addresses that all of them share, so that who dialled is told by the process that has the socket.
     */
    public void isolate(EtcdServer member) {
        long pid = member.pid();
        for (int i = 0; i < members.size(); i++) {
            boolean own = members.get(i) == member;
            peers.get(i).resetFrom(port -> own || SocketOwner.has(pid, port));
        }
    }

    /** Undoes {@link #isolate}. */
    public void rejoin() {
        peers.forEach(proxy -> proxy.resetFrom(port -> false));
    }

    /** Undoes {@link #splitAll()}. */
    public void heal() {
        peers.forEach(proxy -> {
            proxy.restore();
            proxy.closeConnections();
        });
    }

    @Override
    public void close() {
        members.forEach(EtcdServer::close);
        peers.forEach(TcpProxy::close);
    }

    private void start() {
        List<String> list = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
            list.add("m" + i + "=http://" + ServerProcess.HOST + ":"
                    + peers.get(i).port());
        }
        for (int i = 0; i < members.size(); i++) {
            members.get(i).join("m" + i, String.join(",", list), peers.get(i).port());
        }
        members.forEach(EtcdServer::launch);
        members.forEach(EtcdServer::awaitReady);
    }

    private static boolean leads(EtcdServer member) {
        if (!member.isRunning()) {
            return false;
        }
        try {
            String status = member.post("/v3/maintenance/status", "{}");
            Matcher leader = LEADER.matcher(status);
            Matcher self = MEMBER.matcher(status);
            return leader.find() && self.find() && leader.group(1).equals(self.group(1));
        } catch (IllegalStateException notNow) {
            return false;
        }
    }
}
