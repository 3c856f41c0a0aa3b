package io.holdfast.zookeeper;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A process that takes the lock {@code job}, says its token, and answers every line with the state of its lease. */
final class HoldingProcess {
    private HoldingProcess() {}

    /** {@code args}: the URL. */
    public static void main(String[] args) throws Exception {
        Holdfast client = Holdfast.open(args[0]);
        Lease lease = client.mutex("job")
                .acquire(LockOptions.waitUpTo(Duration.ofMinutes(1)).ttl(Duration.ofSeconds(3)));
        System.out.println(lease.sequencer().text());
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (lines.readLine() != null) {
            System.out.println(lease.state());
        }
    }
}
