package io.holdfast.sim.client;

import io.holdfast.sim.plan.Fault;
import io.holdfast.sim.plan.Situation;
import io.holdfast.sim.report.FaultTable;
import io.holdfast.sim.world.World;
import java.util.List;
import java.util.function.Supplier;

/** Counts every fault, and the situations in which it met the clients. */
public final class FaultLog {
    private final World world;
    private final FaultTable table = new FaultTable();
    private final Supplier<List<Client>> clients;
    private int count;

    public FaultLog(World world, Supplier<List<Client>> clients) {
        this.world = world;
        this.clients = clients;
    }

    public FaultTable table() {
        return table;
    }

    public int count() {
        return count;
    }

    /** A fault that meets one client. */
    public void happened(Fault fault, Client client) {
        count++;
        table.count(fault);
        world.note(client.name(), "fault " + fault);
        meets(fault, client);
    }

    /** A fault that meets all clients. */
    public void happened(Fault fault) {
        count++;
        table.count(fault);
        world.note("store", "fault " + fault);
        for (Client client : clients.get()) {
            meets(fault, client);
        }
    }

    private void meets(Fault fault, Client client) {
        client.disturbed();
        for (Situation situation : client.situations()) {
            table.count(fault, situation);
        }
    }
}
