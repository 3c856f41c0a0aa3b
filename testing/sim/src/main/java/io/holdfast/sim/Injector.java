package io.holdfast.sim;

import io.holdfast.Revocation;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Makes the faults that are not about single messages, at random moments, until it is stopped. */
final class Injector {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final Simulation simulation;
    private final Site site;
    private final Faults faults;
    private final SplittableRandom random;
    private final List<Fault> kinds;

    Injector(Simulation simulation, Site site, Faults faults, SplittableRandom random) {
        this.simulation = simulation;
        this.site = site;
        this.faults = faults;
        this.random = random;
        this.kinds = site.plan().faults.stream().filter(Injector::isMine).toList();
    }

    private static boolean isMine(Fault fault) {
        return switch (fault) {
            case LOST_REQUEST, LOST_REPLY, DELAYED, DUPLICATED, CANCEL -> false;
            default -> true;
        };
    }

    void next() {
        site.world().post(null, 1 + random.nextLong(2 * site.plan().faultGapNanos), "fault", () -> {
            if (!site.isDraining()) {
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
        String name = site.plan().names.get(random.nextInt(site.plan().names.size()));
        long longTtl = site.plan().longTtl.toNanos();
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
                site.server().machine().stepWall(random.nextLong(-3_000_000, 3_000_000));
            }
            case RESTART, DATA_LOSS -> {
                faults.happened(fault);
                long away = random.nextLong(600) * MILLI;
                site.overseer().storeDisturbed(site.world().now() + away);
                site.server().restart(away, fault == Fault.DATA_LOSS);
            }
            case REVOKE, REVOKE_NOW -> {
                faults.happened(fault);
                if (!site.server().isDown()) {
                    site.server().revoke(name, fault == Fault.REVOKE ? Revocation.AT_LEASE_END : Revocation.NOW);
                }
            }
            default -> throw new IllegalStateException(fault + " is the network's or a task's");
        }
    }
}
