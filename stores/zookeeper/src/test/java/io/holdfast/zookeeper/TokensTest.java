package io.holdfast.zookeeper;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.ZooKeeperOptions;
import io.holdfast.servers.ZooKeeperServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tokens rise when the node of a lock is created anew, and within a span. */
@Tag("slow")
class TokensTest extends OnSharedServer {
    /** Parents are containers, which disappear; tokens rise all the same. */
    @Test
    void theNodeOfAnIdleNameDisappearsAndTokensStillRise() throws Exception {
        ZooKeeperServer hasty = open(ZooKeeperServer.open(
                ZooKeeperOptions.defaults().unflushed().property("znode.container.checkIntervalMs", "300")));
        RawClient there = open(RawClient.to(hasty));
        Holdfast client = open(Holdfast.open(hasty.url() + root));
        Lease first = client.mutex("job").acquire();
        first.close();
        await("the container is gone")
                .until(() -> there.children(root + "/names").isEmpty());

        Lease second = client.mutex("job").acquire();

        assertThat(second.token()).isGreaterThan(first.token());
        second.close();
    }

    /** Spans are granted over this store, and threads of one client pass the lease without it (U5). */
    @Test
    void threadsOfOneClientPassTheLeaseUnderTheTokensOfOneSpan() throws Exception {
        Holdfast client = open(Holdfast.open(url()));
        Set<Long> grants = ConcurrentHashMap.newKeySet();
        Queue<Long> tokens = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            all.add(client.mutex("hot").acquireAsync(waitUpTo(PATIENCE)).thenAccept(lease -> {
                tokens.add(lease.token());
                grants.add(lease.token() >> 8);
                lease.close();
            }));
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get();

        assertThat(List.copyOf(tokens)).hasSize(500).isSorted().doesNotHaveDuplicates();
        assertThat(grants).hasSizeLessThan(250);
    }
}
