package io.holdfast.zookeeper;

import static io.holdfast.tck.ContractClient.answer;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.ZooKeeperOptions;
import io.holdfast.servers.ZooKeeperServer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Ticket;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.ContractWorld;
import io.holdfast.zookeeper.line.NodePaths;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** U20 on a real server, whose counter of one name was set close to its end: there it stands still. */
@Tag("slow")
class SequenceOverflowTest {
    @Test
    void theLineKeepsItsOrderWhenTheSequenceIsAtItsEnd() throws Exception {
        try (ZooKeeperServer server =
                        new ZooKeeperServer(ZooKeeperOptions.defaults().unflushed());
                ContractWorld world = new ContractWorld(new ZooKeeperFixture(server, ""))) {
            String url = world.fixture().url().orElseThrow();
            String root = url.substring(url.indexOf('/', 5), url.indexOf('?'));
            writeSnapshot(server.data().toFile(), root + "/names/job", Integer.MAX_VALUE - 2);
            server.start();
            try (RawClient raw = RawClient.to(server)) {
                ContractClient a = world.client("a");
                ContractClient b = world.client("b");
                List<Claim> claims = new ArrayList<>();
                List<Ticket> tickets = new ArrayList<>();
                Claim first = Ask.exclusive("job").claim();
                long last = a.granted(first).token();
                for (int i = 0; i < 6; i++) {
                    Claim claim = Ask.exclusive("job").claim();
                    claims.add(claim);
                    tickets.add((i % 2 == 0 ? a : b).queued(claim));
                }
                assertThat(raw.children(root + "/names/job").stream().filter(node -> node.endsWith("-2147483647")))
                        .as("nodes with the highest number: the counter stands still")
                        .hasSizeGreaterThan(1);
                a.released(first);
                for (int i = 0; i < 6; i++) {
                    long token = answer(tickets.get(i).granted()).token();
                    assertThat(token).isGreaterThan(last);
                    last = token;
                    for (int later = i + 1; later < 6; later++) {
                        assertThat(tickets.get(later).granted().toCompletableFuture())
                                .isNotDone();
                    }
                    (i % 2 == 0 ? a : b).released(claims.get(i));
                }
                a.nothingLeft("job");
            }
        }
    }

    private static void writeSnapshot(File folder, String path, int cversion) throws Exception {
        List<ACL> open = new ArrayList<>(List.of(new ACL(ZooDefs.Perms.ALL, new Id("world", "anyone"))));
        DataTree tree = new DataTree();
        long zxid = 0;
        for (String node : NodePaths.withParents(path)) {
            tree.createNode(node, new byte[0], open, 0, -1, ++zxid, 1);
        }
        tree.setCversionPzxid(path, cversion, zxid);
        tree.lastProcessedZxid = zxid;
        FileTxnSnapLog files = new FileTxnSnapLog(folder, folder);
        files.save(tree, new ConcurrentHashMap<>(), true);
        files.close();
    }
}
