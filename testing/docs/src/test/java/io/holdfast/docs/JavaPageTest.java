package io.holdfast.docs;

import static io.holdfast.LockOptions.waitUpTo;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.CheckResult;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Election;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastListener;
import io.holdfast.Lease;
import io.holdfast.LeaseLock;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseSet;
import io.holdfast.LeaseState;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockOptions;
import io.holdfast.LockStatus;
import io.holdfast.LockTimeoutException;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.Mode;
import io.holdfast.ReleaseOutcome;
import io.holdfast.Revocation;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.Ticker;
import io.holdfast.fence.MemoryGuard;
import io.holdfast.guard.jdbc.CasResult;
import io.holdfast.guard.jdbc.Cell;
import io.holdfast.guard.jdbc.FenceTable;
import io.holdfast.guard.jdbc.JdbcGuard;
import io.holdfast.guard.jdbc.Optimistic;
import io.holdfast.guard.redis.RedisGuard;
import io.holdfast.memory.MemoryLockStore;
import io.holdfast.memory.MemorySpace;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.servers.PostgresServer;
import io.holdfast.servers.RedisOptions;
import io.holdfast.servers.RedisServer;
import io.holdfast.sql.SqlStores;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The code of the README and of docs/java.md on real servers. {@link SnippetsTest} compares it with the pages. */
final class JavaPageTest {
    @AutoClose
    private static final RedisServer REDIS =
            RedisServer.open(RedisOptions.defaults().appendOnly());

    @AutoClose
    private static final PostgresServer POSTGRES = PostgresServer.open();

    @AutoClose
    private static final HikariDataSource POOL = pool();

    @TempDir
    private static Path folder = Path.of("");

    private final List<String> log = new CopyOnWriteArrayList<>();
    private final AtomicInteger sent = new AtomicInteger();
    private final DataSource database = POOL;

    @BeforeAll
    static void stock() throws SQLException {
        POSTGRES.execute("CREATE TABLE stock (id INT PRIMARY KEY, pieces INT NOT NULL, version BIGINT NOT NULL)");
        POSTGRES.execute("INSERT INTO stock VALUES (42, 50, 0)");
        POSTGRES.execute("CREATE SCHEMA app");
        try (Connection connection = POOL.getConnection()) {
            FenceTable.standard().create(connection);
        }
    }

    @Test
    void theReadmeTakesOnePieceFromAStockInSqlUnderALockInRedis() throws Exception {
        int before = pieces();
        // snippet readme
        JdbcGuard guard = JdbcGuard.of("stock:sku-42", "stock:sku-42"); // the resource, and the lock that protects it

        try (Holdfast holdfast = Holdfast.open(redisUrl())) {
            holdfast.mutex("stock:sku-42").runHeld(waitUpTo(ofSeconds(2)), lease -> {
                try (Connection c = database.getConnection()) {
                    c.setAutoCommit(false);
                    guard.admit(c, lease.sequencer()); // first statement: from here on every older holder is refused
                    takeOnePiece(c);
                    c.commit();
                }
            });
        }
        // end
        assertThat(pieces()).isEqualTo(before - 1);
        try (Connection connection = database.getConnection()) {
            assertThat(guard.marks(connection).exclusive()).isPositive();
            connection.setAutoCommit(false);
            Sequencer old = new Sequencer("stock:sku-42", Mode.EXCLUSIVE, 1);
            assertThatThrownBy(() -> guard.admit(connection, old)).isInstanceOf(StaleTokenException.class);
            connection.rollback();
        }
    }

    @Test
    void aClientIsOpenedByUrl() throws Exception {
        // snippet open
        try (Holdfast holdfast = Holdfast.open(redisUrl())) {
            holdfast.mutex("nightly-report").runHeld(lease -> sendReport());
        }
        // end
        assertThat(sent).hasValue(1);
    }

    @Test
    void aClientIsBuilt() throws Exception {
        // snippet builder
        Holdfast holdfast = Holdfast.builder()
                .url(postgresUrl())
                .namespace("billing") // the same name in another namespace is another lock
                .label("invoice-worker") // shown beside host and process id
                .defaults(waitUpTo(ofSeconds(5)).ttl(ofSeconds(20))) // of requests that say nothing else
                .listener(new LossLog())
                .open();
        // end
        try (holdfast;
                Lease lease = holdfast.mutex("built").acquire()) {
            assertThat(lease.remaining()).isLessThanOrEqualTo(ofSeconds(20));
            assertThat(holdfast.inspect("built").orElseThrow().holders())
                    .singleElement()
                    .satisfies(holder -> assertThat(holder.label()).contains("invoice-worker"));
        }
        try (Holdfast other = Holdfast.open(postgresUrl())) {
            assertThat(other.list("built", 10)).isEmpty();
        }
    }

    @Test
    void theEmbeddedStoreIsAskedForByName() throws Exception {
        // snippet embedded
        try (Holdfast mine = Holdfast.embedded(); // the file of this user on this machine
                Holdfast shared = Holdfast.open(sqliteUrl())) { // a file that the processes agree on
            mine.mutex("import").runHeld(lease -> shared.mutex("import").runHeld(inner -> sendReport()));
        }
        // end
        assertThat(sent).as("two files are two locks").hasValue(1);
    }

    @Test
    void openSaysWhatIsWrong() {
        assertThatThrownBy(() -> Holdfast.open("postgres://localhost/app"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Holdfast.open("redis://localhost:1")).isInstanceOf(StoreUnavailableException.class);
        if (System.getenv(Holdfast.STORE_VARIABLE) == null) {
            assertThatThrownBy(Holdfast::open).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void workRunsUnderALock() throws Exception {
        try (Holdfast holdfast = Holdfast.open(redisUrl())) {
            // snippet held
            DistributedLock stock = holdfast.mutex("stock:sku-42");

            stock.runHeld(lease -> sendReport()); // waits for 10 s at most, the default
            int left = stock.callHeld(waitUpTo(ofSeconds(2)), lease -> countPieces());

            boolean ran = stock.runIfFree(lease -> sendReport()); // never waits for a holder
            Optional<Integer> counted = stock.callIfFree(lease -> countPieces()); // empty: the lock was not free
            // end
            assertThat(left).isEqualTo(pieces());
            assertThat(ran).isTrue();
            assertThat(counted).contains(left);
            assertThat(sent).hasValue(2);
        }
    }

    @Test
    void aLeaseIsHeldByHand() throws Exception {
        try (Holdfast holdfast = Holdfast.open(redisUrl())) {
            DistributedLock lock = holdfast.mutex("import");
            // snippet acquire
            try (Lease lease = lock.acquire(waitUpTo(ofSeconds(2)).ttl(ofMinutes(2)))) {
                lease.onLost(loss -> log.add("stop: " + loss.detail())); // on the client's executor
                lease.onJeopardy(left -> log.add("renewal fails, " + left.toMillis() + " ms left"));
                for (String batch : List.of("a", "b", "c")) {
                    lease.ensureValid(); // without I/O; LeaseLostException if the lease is over
                    importBatch(batch, lease.token());
                }
            }

            Optional<Lease> free = lock.tryAcquire(); // empty if it is held
            free.ifPresent(Lease::close);
            // end
            assertThat(free).isPresent();
            assertThat(log).containsExactly("a", "b", "c");
        }
    }

    @Test
    void aReleaseTellsTheTruth() throws Exception {
        try (Holdfast holdfast = Holdfast.open(redisUrl())) {
            DistributedLock lock = holdfast.mutex("release");
            // snippet release
            Lease lease = lock.acquire();
            LeaseState state = lease.state(); // HELD, JEOPARDY, LOST or RELEASED; without I/O
            Duration left = lease.remaining(); // if no renewal is answered any more
            ReleaseOutcome outcome = lease.release(); // RELEASED, EXPIRED, TAKEN or UNKNOWN; close() does the same
            // end
            assertThat(state).isEqualTo(LeaseState.HELD);
            assertThat(left).isPositive();
            assertThat(outcome).isEqualTo(ReleaseOutcome.RELEASED);
        }
    }

    @Test
    void aLockThatIsHeldTellsItsHolder() throws Exception {
        try (Holdfast holdfast = Holdfast.open(redisUrl());
                Holdfast other = Holdfast.open(redisUrl());
                Lease held = other.mutex("busy").acquire(waitUpTo(ofSeconds(2)).label("the other"))) {
            DistributedLock lock = holdfast.mutex("busy");
            // snippet errors
            try {
                lock.runHeld(waitUpTo(ofMillis(200)), lease -> sendReport());
            } catch (LockTimeoutException e) { // held for longer than the wait: an ordinary outcome
                log.add(e.lockName() + " is held by "
                        + e.holder().map(h -> h.label()).orElse("an unknown holder"));
            } catch (LeaseLostException e) { // the lease ended before the work did: check what was written
                log.add("lost: " + e.reason());
            } catch (StoreUnavailableException e) { // no answer: the store is down, or slow
                log.add(e.outcomeUnknown() ? "the outcome is unknown" : "nothing was done");
            }
            // end
            assertThat(held.state()).isEqualTo(LeaseState.HELD);
            assertThat(log)
                    .singleElement()
                    .asString()
                    .contains("busy is held by")
                    .contains("the other");
            assertThat(sent).hasValue(0);
        }
    }

    @Test
    void anInterruptCanBeUnchecked() {
        try (Holdfast holdfast = Holdfast.open(redisUrl())) {
            DistributedLock lock = holdfast.mutex("unchecked");
            // snippet unchecked
            lock.unchecked().runHeld(lease -> sendReport()); // LockInterruptedException instead of InterruptedException
            // end
            assertThat(sent).hasValue(1);

            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> lock.unchecked().runHeld(lease -> sendReport()))
                    .isInstanceOf(LockInterruptedException.class);
            assertThat(Thread.interrupted()).as("the thread stays interrupted").isTrue();
            assertThat(sent).hasValue(1);
        }
    }

    @Test
    void everyOptionIsSetPerRequest() throws Exception {
        try (Holdfast holdfast = Holdfast.open(redisUrl())) {
            // snippet options
            LockOptions careful = LockOptions.waitUpTo(ofSeconds(2)) // zero tries once
                    .ttl(ofSeconds(10)) // how long the store keeps the grant without a renewal
                    .lockDelay(ofSeconds(60)) // closed for so long if this lease ends without a release
                    .maxHold(ofMinutes(30)) // renewed for so long at most, then lost
                    .label("import of 18:00") // for people: in listings and in messages
                    .interruptOnLoss() // interrupts the thread that acquired the lease
                    .handoffs(0); // no passing between threads of this client

            LockOptions once = LockOptions.defaults().noRenewal(); // over after its TTL, however alive the holder is
            // end
            try (Lease lease = holdfast.mutex("careful").acquire(careful)) {
                assertThat(lease.remaining()).isLessThanOrEqualTo(ofSeconds(10));
            }
            try (Lease lease = holdfast.mutex("once").acquire(once)) {
                assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            }
        }
    }

    @Test
    void readersShareAndWritersDoNot() throws Exception {
        try (Holdfast holdfast = Holdfast.open(postgresUrl());
                Holdfast other = Holdfast.open(postgresUrl());
                Holdfast writer = Holdfast.open(postgresUrl())) {
            // snippet read-write
            DistributedReadWriteLock prices = holdfast.readWriteLock("prices");
            prices.readLock().runHeld(lease -> countPieces()); // beside other readers
            prices.writeLock().runHeld(lease -> sendReport()); // alone; the same lock as mutex("prices")
            // end
            try (Lease reader = prices.readLock().acquire();
                    Lease second = other.readWriteLock("prices").readLock().acquire()) {
                assertThat(writer.mutex("prices").tryAcquire()).isEmpty();
                assertThat(reader.token()).isNotEqualTo(second.token());
            }
        }
    }

    @Test
    void aSemaphoreAdmitsAFew() throws Exception {
        try (Holdfast holdfast = Holdfast.open(redisUrl());
                Holdfast other = Holdfast.open(redisUrl())) {
            // snippet semaphore
            DistributedSemaphore uploads = holdfast.semaphore("uploads", 2); // all clients give the same number
            uploads.runHeld(waitUpTo(ofSeconds(30)), permit -> sendReport());
            // end
            try (Lease one = uploads.acquire();
                    Lease two = other.semaphore("uploads", 2).acquire()) {
                assertThat(uploads.tryAcquire()).isEmpty();
                assertThat(one.token()).isNotEqualTo(two.token());
            }
        }
    }

    @Test
    void severalLocksAreTakenAllOrNone() throws Exception {
        try (Holdfast holdfast = Holdfast.open(redisUrl());
                Holdfast other = Holdfast.open(redisUrl())) {
            // snippet several
            holdfast.mutexes("account:7", "account:3").runHeld(waitUpTo(ofSeconds(5)), leases -> {
                importBatch("from", leases.lease("account:7").token());
                importBatch("to", leases.lease("account:3").token());
            });

            try (LeaseSet leases = holdfast.mutexes("a", "b").acquire(waitUpTo(ofSeconds(5)))) {
                leases.ensureValid(); // all of them
            }
            // end
            assertThat(log).containsExactly("from", "to");
            try (Lease held = other.mutex("b").acquire()) {
                assertThat(holdfast.mutexes("a", "b").tryAcquire()).isEmpty();
                assertThat(holdfast.inspect("a").filter(LockStatus::held)).isEmpty();
                assertThat(held.state()).isEqualTo(LeaseState.HELD);
            }
        }
    }

    @Test
    void aLeaderLeadsWhileItsWorkRuns() throws Exception {
        try (Holdfast holdfast = Holdfast.open(redisUrl())) {
            // snippet lead
            Election election = holdfast.election("scheduler");
            try (Election.Candidacy candidacy = election.lead(leadership -> runScheduler(leadership))) {
                Lease leadership = candidacy.awaitLeadership(); // with a duration: empty if it is not elected by then
                log.add("leading under token " + leadership.token());
            } // steps down: interrupts the work, and releases the lock when the work has returned
            // end
            // The work may not have begun when the leadership was known; if it has, it ends before the lock is free.
            eventually().until(() -> election.leader().isEmpty());
            assertThat(log).filteredOn("scheduler started"::equals).hasSameSizeAs(stops());

            log.clear();
            try (Election.Candidacy candidacy = election.lead(this::runScheduler)) {
                eventually().until(() -> log.contains("scheduler started"));
                assertThat(candidacy.isLeader()).isTrue();
            }
            eventually().until(() -> election.leader().isEmpty());
            assertThat(stops()).hasSize(1);
        }
    }

    @Test
    void aCandidateIsToldOfTheBeginningAndTheEnd() {
        try (Holdfast holdfast = Holdfast.open(redisUrl())) {
            // snippet stand
            Election.Candidacy candidacy = holdfast.election("cleaner").stand(new Election.Candidate() {
                @Override
                public void elected(Lease leadership) { // returns; the leadership goes on
                    log.add("start");
                }

                @Override
                public void deposed(Loss loss) { // exactly once for each elected, whatever ended it
                    log.add("stop");
                }
            });
            // end
            eventually().until(candidacy::isLeader);
            eventually().until(() -> log.contains("start"));
            candidacy.close();
            eventually().until(() -> log.contains("stop"));
            assertThat(log).containsExactly("start", "stop");
        }
    }

    @Test
    void nothingBlocks() throws Exception {
        try (Holdfast holdfast = Holdfast.open(redisUrl())) {
            DistributedLock lock = holdfast.mutex("async");
            // snippet async
            CompletableFuture<Integer> counted = lock.callHeldAsync(waitUpTo(ofSeconds(2)), lease -> countPieces());

            CompletableFuture<Void> done = lock.acquireAsync() // the lease belongs to no thread
                    .thenCompose(lease -> lease.releaseAsync())
                    .thenAccept(outcome -> log.add("released: " + outcome));
            // end
            assertThat(counted.get()).isEqualTo(pieces());
            done.get();
            assertThat(log).containsExactly("released: RELEASED");
        }
    }

    @Test
    void theJdkViewIsReentrant() {
        try (Holdfast holdfast = Holdfast.open(redisUrl())) {
            DistributedLock lock = holdfast.mutex("juc");
            // snippet juc
            LeaseLock juc = lock.asLock(); // a java.util.concurrent.locks.Lock
            juc.lock(); // waits without bound
            try {
                juc.currentLease().ifPresent(lease -> log.add("held under " + lease.token()));
            } finally {
                juc.unlock(); // LeaseLostException if the lease was lost meanwhile
            }
            // end
            assertThat(log).hasSize(1);
            assertThat(juc.currentLease()).isEmpty();
        }
    }

    @Test
    void aThreadMayTakeItsOwnLockAgain() throws Exception {
        try (Holdfast holdfast = Holdfast.open(redisUrl())) {
            DistributedLock lock = holdfast.mutex("reentrant");
            lock.runHeld(outer -> lock.runHeld(inner -> {
                assertThat(inner.token()).isEqualTo(outer.token());
                sendReport();
            }));
            assertThat(sent).hasValue(1);
        }
    }

    @Test
    void aHolderThatWasOvertakenIsRefusedByAGuardInMemory() throws Exception {
        try (Holdfast holdfast = Holdfast.open(redisUrl())) {
            DistributedLock lock = holdfast.mutex("prices");
            // snippet memory-guard
            MemoryGuard guard = MemoryGuard.of("price cache", "prices"); // for data inside this process
            lock.runHeld(lease -> {
                guard.admit(lease.sequencer()); // before the first read
                importBatch("prices", lease.token());
            });
            // end
            Sequencer old = new Sequencer("prices", Mode.EXCLUSIVE, 1);
            assertThatThrownBy(() -> guard.admit(old)).isInstanceOf(StaleTokenException.class);
            assertThat(guard.refusals()).isEqualTo(1);
        }
    }

    @Test
    void dataInRedisIsGuardedInOneCall() throws Exception {
        RedisClient client = RedisClient.create(redisUrl());
        try (Holdfast holdfast = Holdfast.open(redisUrl());
                StatefulRedisConnection<String, String> connection = client.connect()) {
            connection.sync().set("pieces:sku-42", "5");
            DistributedLock lock = holdfast.mutex("stock:sku-42");
            // snippet redis-guard
            RedisGuard guard = RedisGuard.of(connection.sync(), "pieces:sku-42", "stock:sku-42");
            long left = lock.callHeld(lease -> {
                guard.admit(lease.sequencer()); // before the first read
                return guard.incrBy(lease.sequencer(), "pieces:sku-42", -1); // checks, marks and writes in one call
            });
            // end
            assertThat(left).isEqualTo(4);
            Sequencer old = new Sequencer("stock:sku-42", Mode.EXCLUSIVE, 1);
            assertThatThrownBy(() -> guard.incrBy(old, "pieces:sku-42", -1)).isInstanceOf(StaleTokenException.class);
            assertThat(connection.sync().get("pieces:sku-42")).isEqualTo("4");
        } finally {
            client.shutdown();
        }
    }

    @Test
    void oneValueNeedsNoLock() throws Exception {
        int before = pieces();
        // snippet optimistic
        Optimistic optimistic = Optimistic.over(database);
        Cell<Integer> pieces =
                Cell.of("stock", "pieces", Integer.class).where("id", 42).byVersion("version");

        CasResult<Integer> result =
                optimistic.update(pieces, n -> n > 0 ? Optional.of(n - 1) : Optional.empty()); // empty keeps the value
        // end
        assertThat(result).isInstanceOf(CasResult.Swapped.class);
        assertThat(pieces()).isEqualTo(before - 1);
    }

    @Test
    void aSequencerTravelsAsText() throws Exception {
        try (Holdfast holdfast = Holdfast.open(redisUrl())) {
            DistributedLock lock = holdfast.mutex("sequencer");
            byte[] key = new byte[32];
            // snippet sequencer
            try (Lease lease = lock.acquire()) {
                String text = lease.sequencer().signedWith(key).text(); // for a header, a column, a message

                Sequencer received = Sequencer.parse(text); // at the other side
                boolean genuine = received.isSignedWith(key);
                CheckResult result = holdfast.check(received); // VALID, STALE or UNKNOWN: an answer about the past
                log.add(genuine + " " + result);
            }
            // end
            assertThat(log).containsExactly("true VALID");
        }
    }

    @Test
    void locksAreListedAndRevoked() throws Exception {
        try (Holdfast holdfast = Holdfast.open(redisUrl());
                Holdfast other = Holdfast.open(redisUrl());
                Lease lease = other.mutex("job:1").acquire()) {
            // snippet operate
            for (LockStatus status : holdfast.list("job:", 100)) { // names that are held, waited for or closed
                status.holders().forEach(holder -> log.add(status.lockName() + " " + holder.label()));
            }
            Optional<LockStatus> one = holdfast.inspect("job:1");
            Optional<Duration> opens = holdfast.revoke("job:1", Revocation.AT_LEASE_END); // NOW: only fencing protects
            // end
            assertThat(log).singleElement().asString().startsWith("job:1 ");
            assertThat(one.orElseThrow().held()).isTrue();
            assertThat(opens.orElseThrow()).isPositive();
            assertThat(lease.lockName()).isEqualTo("job:1");
        }
    }

    @Test
    void aListenerHearsOfGrantsAndLosses() throws Exception {
        LossLog listener = new LossLog();
        try (Holdfast holdfast =
                        Holdfast.builder().url(redisUrl()).listener(listener).open();
                Holdfast operator = Holdfast.open(redisUrl())) {
            Lease lease =
                    holdfast.mutex("listened").acquire(LockOptions.defaults().ttl(ofMillis(600)));
            operator.revoke("listened", Revocation.NOW);

            eventually().until(() -> lease.state() == LeaseState.LOST);
            eventually().until(() -> !listener.lines.isEmpty());
            assertThat(listener.lines).first().asString().contains("listened").contains(LossReason.REVOKED.name());
            lease.close();
        }
    }

    @Test
    void aPoolOfTheApplicationCarriesTheLocks() throws Exception {
        // snippet pool
        try (Holdfast holdfast = Holdfast.builder()
                .store(SqlStores.over(database, "holdfast.schema=app&holdfast.autoCreate=true")) // three connections
                .open()) {
            holdfast.mutex("stock:sku-42").runHeld(lease -> sendReport());
        }
        // end
        assertThat(sent).hasValue(1);
    }

    @Test
    void aRedisClientOfTheApplicationCarriesTheLocks() throws Exception {
        RedisURI redisUri = RedisURI.create(redisUrl());
        // snippet lettuce
        RedisClient client = RedisClient.create(redisUri);
        try (Holdfast holdfast = Holdfast.builder()
                .store(RedisLockStore.over(client, redisUri, "billing")) // the namespace; empty for none
                .open()) {
            holdfast.mutex("stock:sku-42").runHeld(lease -> sendReport());
        } finally {
            client.shutdown(); // yours: the store does not close it
        }
        // end
        assertThat(sent).hasValue(1);
    }

    @Test
    void springClosesTheClient() {
        System.setProperty("locks.url", redisUrl());
        Holdfast holdfast;
        try (AnnotationConfigApplicationContext context =
                new AnnotationConfigApplicationContext(LockConfiguration.class)) {
            holdfast = context.getBean(Holdfast.class);
            new ReportJob(holdfast, this::sendReport).run();
            assertThat(sent).hasValue(1);
        } finally {
            System.clearProperty("locks.url");
        }
        assertThatThrownBy(() -> holdfast.mutex("nightly-report").tryAcquire())
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aSpringTransactionIsInsideTheLock() throws Exception {
        int before = pieces();
        JdbcGuard guard = JdbcGuard.of("stock:sku-42", "stock:sku-42");
        JdbcTemplate jdbc = new JdbcTemplate(database);
        TransactionTemplate transactions = new TransactionTemplate(new DataSourceTransactionManager(database));
        try (Holdfast holdfast = Holdfast.open(redisUrl())) {
            DistributedLock lock = holdfast.mutex("stock:sku-42");
            // snippet spring-transaction
            lock.unchecked()
                    .runHeld(lease -> transactions.executeWithoutResult(status -> {
                        ConnectionCallback<Boolean> admit = c -> {
                            guard.admit(c, lease.sequencer());
                            return true;
                        };
                        jdbc.execute(admit); // the first statement of the transaction
                        jdbc.update("UPDATE stock SET pieces = pieces - 1, version = version + 1 WHERE id = 42");
                    })); // committed, then released
            // end
        }
        assertThat(pieces()).isEqualTo(before - 1);
    }

    @Test
    void aUnitTestNeedsNoServer() throws Exception {
        // snippet memory
        MemorySpace space = new MemorySpace(Ticker.system()); // the server of this test
        try (Holdfast service =
                        Holdfast.builder().store(new MemoryLockStore(space)).open();
                Holdfast rival =
                        Holdfast.builder().store(new MemoryLockStore(space)).open();
                Lease held = rival.mutex("nightly-report").acquire()) {
            assertThat(service.mutex("nightly-report").runIfFree(lease -> sendReport()))
                    .isFalse();
            space.loseData(); // as a server that comes back without its data
            assertThat(service.mutex("nightly-report").runIfFree(lease -> sendReport()))
                    .isTrue();
            assertThat(held.token()).isPositive();
        }
        // end
    }

    private static String redisUrl() {
        return REDIS.url();
    }

    private static String postgresUrl() {
        return POSTGRES.url() + "&holdfast.autoCreate=true";
    }

    private static String sqliteUrl() {
        return "sqlite:" + folder.resolve("locks.db");
    }

    /** A busy machine may take its time. */
    private static ConditionFactory eventually() {
        return await().atMost(ofSeconds(20).multipliedBy(Long.getLong("holdfast.timeScale", 1)));
    }

    private static HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(POSTGRES.url());
        config.setMaximumPoolSize(8);
        return new HikariDataSource(config);
    }

    private void sendReport() {
        sent.incrementAndGet();
    }

    private int countPieces() throws SQLException {
        return pieces();
    }

    private List<String> stops() {
        return log.stream().filter("scheduler stopped"::equals).toList();
    }

    private void runScheduler(Lease leadership) {
        try {
            log.add("scheduler started");
            assertThat(leadership.token()).isPositive();
            new CountDownLatch(1).await(); // works until it is interrupted
        } catch (InterruptedException e) {
            log.add("scheduler stopped");
        }
    }

    private void importBatch(String batch, long token) {
        assertThat(token).isPositive();
        log.add(batch);
    }

    private static void takeOnePiece(Connection connection) throws SQLException {
        try (PreparedStatement take = connection.prepareStatement(
                "UPDATE stock SET pieces = pieces - 1, version = version + 1 WHERE id = 42")) {
            take.executeUpdate();
        }
    }

    private static int pieces() throws SQLException {
        try (Connection connection = POOL.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT pieces FROM stock WHERE id = 42")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    // snippet listener
    static final class LossLog implements HoldfastListener {
        final List<String> lines = new CopyOnWriteArrayList<>(); // a logger in an application

        @Override
        public void onLost(Lease lease, Loss loss) {
            lines.add(
                    "lost " + loss.lockName() + " token " + loss.token() + " " + loss.reason() + ": " + loss.detail());
        }

        @Override
        public void onLate(Lease lease, Duration by) { // the process was paused or starved
            lines.add("late " + lease.lockName() + " by " + by.toMillis() + " ms");
        }
    }
    // end

    // snippet spring
    @Configuration
    static class LockConfiguration {
        @Bean(destroyMethod = "close")
        Holdfast holdfast() {
            return Holdfast.builder()
                    .url(System.getProperty("locks.url")) // or @Value("${locks.url}")
                    .label("shop")
                    .open();
        }
    }
    // end

    // snippet spring-job
    static class ReportJob {
        private final DistributedLock lock;
        private final Runnable report;

        ReportJob(Holdfast holdfast, Runnable report) {
            this.lock = holdfast.mutex("nightly-report");
            this.report = report;
        }

        // @Scheduled(cron = "0 0 3 * * *")
        void run() {
            lock.runIfFree(lease -> report.run()); // another node that runs it now: nothing to do
        }
    }
    // end
}
