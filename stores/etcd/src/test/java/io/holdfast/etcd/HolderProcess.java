package io.holdfast.etcd;

import static io.holdfast.LockOptions.waitUpTo;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.guard.etcd.EtcdGuard;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A holder in a process of its own: takes the lock, marks the resource, prints that, waits for a line on its input, and
 * then writes without checking whether it still holds the lock.
 */
final class HolderProcess {
    private HolderProcess() {}

    public static void main(String[] args) throws Exception {
        try (Holdfast holdfast = Holdfast.open(args[0]);
                Client client = Client.builder().endpoints(args[1]).build()) {
            Lease lease = holdfast.mutex("job")
                    .acquire(waitUpTo(Duration.ofSeconds(20)).ttl(Duration.ofSeconds(2)));
            EtcdGuard guard = EtcdGuard.of(client, "stock", "job");
            guard.admit(lease.sequencer());
            System.out.println("HELD " + lease.token());
            System.in.read();
            boolean written = client.getKVClient()
                    .txn()
                    .If(guard.stillAdmitted(lease.sequencer()))
                    .Then(Op.put(
                            ByteSequence.from("stock", StandardCharsets.UTF_8),
                            ByteSequence.from("of the older", StandardCharsets.UTF_8),
                            PutOption.DEFAULT))
                    .commit()
                    .get(20, TimeUnit.SECONDS)
                    .isSucceeded();
            System.out.println((written ? "WRITTEN " : "REFUSED ") + lease.state());
        }
    }
}
