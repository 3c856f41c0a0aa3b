package io.holdfast.engine.client;

import io.holdfast.Acquirable;
import io.holdfast.Election;
import io.holdfast.Holder;
import io.holdfast.LockOptions;
import io.holdfast.LockStatus;
import io.holdfast.Mode;
import io.holdfast.engine.lease.Request;
import java.util.Objects;
import java.util.Optional;

/** Election by the exclusive lock of a name. */
final class LockElection implements Election {
    private final HoldfastClient client;
    private final String name;

    LockElection(HoldfastClient client, String name) {
        this.client = client;
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Candidacy stand(LockOptions options, Candidate candidate) {
        return begin(new Standing(client, request(options), Objects.requireNonNull(candidate, "candidate"), false));
    }

    @Override
    public Candidacy lead(LockOptions options, Acquirable.Task<? extends Exception> work) {
        Objects.requireNonNull(work, "work");
        return begin(new Standing(client, request(options), work::run, true));
    }

    @Override
    public Optional<Holder> leader() {
        return client.inspect(name)
                .map(LockStatus::holders)
                .flatMap(holders -> holders.stream()
                        .filter(holder -> holder.mode() == Mode.EXCLUSIVE)
                        .findFirst());
    }

    /** The lease of a leader never passes to another thread of the client without the store. */
    private Request request(LockOptions options) {
        return client.request(name, Mode.EXCLUSIVE, 1, options.handoffs(0)).waiting(Request.FOREVER);
    }

    private Candidacy begin(Standing standing) {
        client.keep(standing);
        try {
            standing.contend();
        } catch (RuntimeException e) {
            client.forget(standing);
            throw e;
        }
        return standing;
    }

    @Override
    public String toString() {
        return "Election[" + name + ", " + client.store() + "]";
    }
}
