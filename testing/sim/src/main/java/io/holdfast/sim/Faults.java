package io.holdfast.sim;

import java.util.List;
import java.util.function.Supplier;

/** Notes every fault: what it was, and in which situations it met the clients. */
final class Faults {
    private final World world;
    private final FaultTable table = new FaultTable();
    private final Supplier<List<Client>> clients;
    private int count;

    Faults(World world, Supplier<List<Client>> clients) {
        this.world = world;
        this.clients = clients;
    }

    FaultTable table() {
        return table;
    }

    int count() {
        return count;
    }

    /** A fault that meets one client. */
    void happened(Fault fault, Client client) {
        count++;
        table.count(fault);
        world.note(client.name(), "fault " + fault);
        meets(fault, client);
    }

    /** A fault that meets everybody. */
    void happened(Fault fault) {
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
