package io.holdfast.sim;

import io.holdfast.Revocation;
import io.holdfast.sim.client.Client;
import io.holdfast.sim.client.FaultLog;
import io.holdfast.sim.client.RunContext;
import io.holdfast.sim.plan.Fault;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Makes the faults that do not concern single messages, at random moments, until it is stopped. */
public final class FaultInjector {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final Simulation simulation;
    private final RunContext run;
    private final FaultLog faults;
    private final SplittableRandom random;
    private final List<Fault> kinds;

    public FaultInjector(Simulation simulation, RunContext run, FaultLog faults, SplittableRandom random) {
        this.simulation = simulation;
        this.run = run;
        this.faults = faults;
        this.random = random;
        this.kinds = run.plan().faults.stream().filter(FaultInjector::isMine).toList();
    }

    private static boolean isMine(Fault fault) {
        return switch (fault) {
            case LOST_REQUEST, LOST_REPLY, DELAYED, DUPLICATED, CANCEL -> false;
            default -> true;
        };
    }

    public void next() {
        run.world().post(null, 1 + random.nextLong(2 * run.plan().faultGapNanos), "fault", () -> {
            if (!run.isDraining()) {
                strike(kinds.isEmpty() ? Fault.PAUSE : kinds.get(random.nextInt(kinds.size())));
                next();
            }
        });
    }

    private void strike(Fault fault) {
        List<Client> clients = simulation.clients();
        if (clients.isEmpty()) {
            return;
        }
        Client client = clients.get(random.nextInt(clients.size()));
        String name = run.plan().names.get(random.nextInt(run.plan().names.size()));
        long longTtl = run.plan().longTtl.toNanos();
        long spell = 1 + random.nextLong(random.nextBoolean() ? longTtl / 2 : 2 * longTtl);
        boolean available = client.machine().isRunning() && !client.isClosing();
        switch (fault) {
            case PARTITION -> {
                faults.happened(fault, client);
                client.cut(spell);
            }
            case PAUSE -> {
                if (random.nextInt(3) == 0) {
                    client.ambush(spell);
                } else {
                    faults.happened(fault, client);
                    client.machine().pause(spell);
                }
            }
            case SUSPEND -> {
                if (available) {
                    faults.happened(fault, client);
                    client.machine().suspend(spell);
                }
            }
            case CRASH -> {
                if (available) {
                    faults.happened(fault, client);
                    simulation.crash(client);
                }
            }
            case CLOSE -> {
                if (available) {
                    faults.happened(fault, client);
                    simulation.close(client);
                }
            }
            case CLIENT_CLOCK -> {
                faults.happened(fault, client);
                client.machine().stepWall(random.nextLong(-3_000_000, 3_000_000));
            }
            case STORE_CLOCK -> {
                faults.happened(fault);
                run.server().machine().stepWall(random.nextLong(-3_000_000, 3_000_000));
            }
            case RESTART, DATA_LOSS -> {
                faults.happened(fault);
                long away = random.nextLong(600) * MILLI;
                run.observer().storeDisturbed(run.world().now() + away);
                run.server().restart(away, fault == Fault.DATA_LOSS);
            }
            case REVOKE, REVOKE_NOW -> {
                faults.happened(fault);
                if (!run.server().isDown()) {
                    run.server().revoke(name, fault == Fault.REVOKE ? Revocation.AT_LEASE_END : Revocation.NOW);
                }
            }
            default -> throw new IllegalStateException(fault + " is the network's or a task's");
        }
    }
}
