package io.holdfast.sim.check;

/** What is checked. The ids are those of docs/protocol.md and of the clauses of the SPI. */
public enum Rule {
    P1_COVER("a lease that its holder believes in is in the store, unexpired and unreleased"),
    P1_EXCLUSION("no two conflicting leases are believed in at once"),
    P2_TOKENS("tokens strictly increase in grant order while the store keeps its data"),
    P2_GUARD("a guard that admitted a token refuses every older one"),
    P2_LEASE_TOKENS("the tokens that callers see strictly increase in the order in which they get the lock"),
    P3_DEATH("a free lock with a live waiter is granted in bounded time, whatever died"),
    P4_PUSHED("a holder is told of the loss as soon as the lease is over and the process runs"),
    P5_BOUNDED("a call ends within its wait plus one I/O timeout, a release within one"),
    P5_NOTHING_LEFT("when all is quiet the store keeps no grant and no waiter of a live client"),
    P6_RELEASE("the outcome of a release is what happened at the store"),
    S1_OWNER("only the holder's own id releases or renews"),
    S2_CONFLICT("the store grants nothing that conflicts with an unexpired grant"),
    S3_SPAN("a grant reserves at least one token and at most what was asked for"),
    FRESH("a holder id is used for one acquisition only"),
    KEEP_SERIAL("no renewal is sent after the release of the same grant (4.3)"),
    KEEP_TRYING("a failed renewal is repeated while the lease is valid (4.3)"),
    U1_LOST_UPDATE("no update is lost where every holder marks before it reads"),
    U5_PASSES("a grant passes at most span - 1 times, each time with the next token"),
    U6_LEAD("tokens stay near the store's clock"),
    U6_AFTER_LOSS("tokens are larger after lost data if enough time has passed"),
    U10_RENEW("renewal never creates and never revives"),
    U14_EQUALS("a lease passes only between equals"),
    U15_OWN_RELEASE("a grant that met its own release becomes no lease"),
    U17_DELAY("lock-delay and revocation close the name to everyone"),
    U21_SUSPEND("after a suspension a lease is not valid before it was renewed"),
    L1_TOMBSTONE("a request that comes after its own release does nothing"),
    L3_CONFIRM("a provisional grant is renewed or given up at once"),
    L8_PAUSE("on a pull store a client with waiters does not contend before one pause after giving up"),
    L9_PLACE("a place in the store's queue passes on inside the client"),
    L12_TURNS("of clients that ask in a loop each gets its turn in bounded time"),
    L21_STAND_BACK(
            "a client whose release says that others wait claims nothing on that name until they had their turn"),
    L11_SILENT("after LOST the keeper sends nothing"),
    N3_ONCE("a lease is lost or released, never both"),
    CALLBACK("nothing is thrown out of a timer or a callback"),
    QUIET("after the last request no timer is left and every future is completed");

    private final String promise;

    Rule(String promise) {
        this.promise = promise;
    }

    public String promise() {
        return promise;
    }
}
