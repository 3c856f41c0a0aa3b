package io.holdfast.examples.stock;

import io.holdfast.servers.PostgresServer;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Sells the same stock four ways, each from the same processes, of which some are stopped (SIGSTOP) between their read
 * and their write until somebody else has sold. That is what a long garbage collection, a suspended machine or a
 * swapped-out container does.
 */
final class StockSale {
    /**
     * What a way came to.
     *
     * @param sold how many sales there are
     * @param oversold how many of them there should not be
     * @param refused how many writes the guard refused
     * @param lostRounds how often somebody was faster, without a lock
     * @param took how long it took
     */
    record Report(int sold, int oversold, int refused, int lostRounds, Duration took) {}

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final SaleOptions options;
    private final Shop shop;
    private final List<SellerProcess> sellers;

    private StockSale(SaleOptions options, Shop shop, List<SellerProcess> sellers) {
        this.options = options;
        this.shop = shop;
        this.sellers = sellers;
    }

    public static void main(String[] arguments) throws Exception {
        SaleOptions options;
        try {
            options = SaleOptions.parse(List.of(arguments));
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage() + "\n" + SaleOptions.USAGE);
            System.exit(2);
            return;
        }
        run(options, System.out);
    }

    /** Runs every way and prints a line about each. */
    static Map<Way, Report> run(SaleOptions options, PrintStream print) throws Exception {
        if (options.jdbc().isPresent()) {
            return run(options, options.jdbc().get(), print);
        }
        print.println("starting a PostgreSQL ...");
        try (PostgresServer server = PostgresServer.open()) {
            return run(options, server.url(), print);
        }
    }

    private static Map<Way, Report> run(SaleOptions options, String jdbcUrl, PrintStream print) throws Exception {
        List<SellerProcess> sellers = new CopyOnWriteArrayList<>();
        Thread hook = new Thread(() -> sellers.forEach(SellerProcess::close));
        Runtime.getRuntime().addShutdownHook(hook);
        try (Shop shop = new Shop(jdbcUrl)) {
            try {
                String lockUrl = options.lock().orElse(Shop.lockUrl(jdbcUrl));
                for (int i = 0; i < options.processes(); i++) {
                    sellers.add(new SellerProcess(i, jdbcUrl, lockUrl));
                }
                for (SellerProcess seller : sellers) {
                    seller.hear();
                }
                return new StockSale(options, shop, sellers).everyWay(print);
            } finally {
                sellers.forEach(SellerProcess::close);
            }
        } finally {
            Runtime.getRuntime().removeShutdownHook(hook);
        }
    }

    private Map<Way, Report> everyWay(PrintStream print) throws Exception {
        print.printf(
                "%d items, %d processes, %d of them stopped beyond their lease of %s s between read and write%n%n",
                options.items(), options.processes(), options.pauses(), Checkout.TTL.toSeconds());
        print.printf("%-14s %7s %9s %9s %12s %9s%n", "", "sold", "OVERSOLD", "refused", "lost rounds", "seconds");
        Map<Way, Report> reports = new LinkedHashMap<>();
        for (Way way : Way.values()) {
            Report report = sell(way);
            reports.put(way, report);
            print.printf(
                    "%-14s %7d %9d %9d %12d %9.1f%n",
                    way.title(),
                    report.sold(),
                    report.oversold(),
                    report.refused(),
                    report.lostRounds(),
                    report.took().toMillis() / 1000.0);
        }
        return reports;
    }

    private Report sell(Way way) throws Exception {
        shop.restock(options.items());
        long start = System.nanoTime();
        ExecutorService attendants = Executors.newFixedThreadPool(sellers.size());
        int refused = 0;
        int lost = 0;
        try {
            List<Future<int[]>> results = new ArrayList<>();
            CountDownLatch firstIsStopped = new CountDownLatch(options.pauses() == 0 ? 0 : 1);
            for (int i = 0; i < sellers.size(); i++) {
                SellerProcess seller = sellers.get(i);
                int pauseAt = i < options.pauses() ? i + 1 : 0;
                if (i == 1 && !firstIsStopped.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                    throw new IllegalStateException("the first seller sold nothing");
                }
                // Whoever sells more than there is has shown enough.
                seller.say(way + " " + options.items() + " " + pauseAt);
                results.add(attendants.submit(() -> attend(seller, firstIsStopped)));
            }
            for (Future<int[]> result : results) {
                int[] counts = result.get();
                refused += counts[0];
                lost += counts[1];
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(way.title() + " failed: " + e.getCause(), e);
        } finally {
            attendants.shutdownNow();
        }
        int sold = shop.sold();
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        return new Report(sold, sold - options.items(), refused, lost, took);
    }

    /** Stops the seller when it says where it is, until somebody else has sold; returns what it counted. */
    private int[] attend(SellerProcess seller, CountDownLatch stopped) throws IOException, SQLException {
        while (true) {
            String[] words = seller.hear().split(" ");
            if (words[0].equals("done")) {
                return new int[] {Integer.parseInt(words[1]), Integer.parseInt(words[2])};
            }
            seller.stop();
            stopped.countDown(); // the others begin now: a small stock would be gone before a slow seller's turn
            awaitAnotherSale();
            seller.resume();
            seller.say("go on");
        }
    }

    private void awaitAnotherSale() throws SQLException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        int before = sold();
        while (sold() == before) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("nobody else sold anything within " + PATIENCE.toSeconds() + " s");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    private int sold() throws SQLException {
        synchronized (shop) { // one connection, several attendants
            return shop.sold();
        }
    }
}
