package io.holdfast.servers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * A real ensemble. Every link between two members runs through proxies, one per direction of the dialling and port, so
 * that a test can cut a member off from its leader while clients still reach it.
 */
public final class ZooKeeperEnsemble implements AutoCloseable {
    /** One member's way to a port of another. */
    private record Link(int from, int to, TcpProxy proxy) {}

    private final List<ZooKeeperServer> members = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();

    private ZooKeeperEnsemble() {}

    /** A serving ensemble of so many members. */
    public static ZooKeeperEnsemble open(int size, ZooKeeperOptions options) {
        ZooKeeperEnsemble ensemble = new ZooKeeperEnsemble();
        try {
            for (int id = 1; id <= size; id++) {
                ensemble.members.add(new ZooKeeperServer(options, id));
            }
            for (int id = 1; id <= size; id++) {
                ensemble.members.get(id - 1).join(ensemble.linksOf(id));
            }
            ensemble.members.forEach(ServerProcess::launch);
            ensemble.members.forEach(ServerProcess::awaitReady);
            return ensemble;
        } catch (RuntimeException e) {
            ensemble.close();
            throw e;
        }
    }

    /** The members. */
    public List<ZooKeeperServer> members() {
        return List.copyOf(members);
    }

    /** The member that leads; waits until there is one. */
    public ZooKeeperServer leader() {
        long giveUp =
                System.nanoTime() + TimeScale.of(members.get(0).patience()).toNanos();
        while (System.nanoTime() - giveUp < 0) {
            for (ZooKeeperServer member : members) {
                if (member.isRunning() && member.leads()) {
                    return member;
                }
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        throw new IllegalStateException(
                "no leader; the first member's log ends with\n" + members.get(0).logTail());
    }

    /** A member that does not lead. */
    public ZooKeeperServer follower() {
        ZooKeeperServer leader = leader();
        return members.stream()
                .filter(member -> member != leader && member.isRunning())
                .findFirst()
                .orElseThrow();
    }

    /** The URL of all members. */
    public String url() {
        return "zk://" + members.stream().map(ZooKeeperServer::address).collect(Collectors.joining(","));
    }

    /** Cuts every link between this member and the others: what they send each other does not arrive. */
    public void isolate(ZooKeeperServer member) {
        touching(member).forEach(link -> link.proxy.cut());
    }

    /** Opens the links of this member again. What was under way is reset, as after a long partition. */
    public void rejoin(ZooKeeperServer member) {
        touching(member).forEach(link -> {
            link.proxy.closeConnections();
            link.proxy.restore();
        });
    }

    @Override
    public void close() {
        members.forEach(ServerProcess::close);
        links.forEach(link -> link.proxy.close());
    }

    private List<Link> touching(ZooKeeperServer member) {
        int id = members.indexOf(member) + 1;
        return links.stream().filter(link -> link.from == id || link.to == id).toList();
    }

    /** The lines of one member's configuration: itself as it is, the others as proxies show them. */
    private Map<String, String> linksOf(int id) {
        Map<String, String> lines = new LinkedHashMap<>();
        for (int other = 1; other <= members.size(); other++) {
            ZooKeeperServer member = members.get(other - 1);
            int quorum = other == id ? member.port(1) : proxy(id, other, member.port(1));
            int election = other == id ? member.port(2) : proxy(id, other, member.port(2));
            lines.put("server." + other, ServerProcess.HOST + ":" + quorum + ":" + election);
        }
        return lines;
    }

    private int proxy(int from, int to, int port) {
        TcpProxy proxy = TcpProxy.to(port);
        links.add(new Link(from, to, proxy));
        return proxy.port();
    }
}
