package io.holdfast.examples.stock;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.Holdfast;
import io.holdfast.StoreUnavailableException;
import io.holdfast.examples.stock.Checkout.Outcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * One of the processes. Its first three lines of input are its number, the database and the store of the lock (not
 * arguments: those would show a password to everybody on the machine). Then, per line, {@code WAY most pauseAt}: sell
 * until the stock is empty, and at sale {@code pauseAt} say {@code paused} between the read and the write and go on
 * when a line comes. Ends with its input.
 */
final class Seller {
    /** Holdfast warns of every lease that was lost; here that is the point, and the table says it. */
    private static final Logger QUIET = Logger.getLogger("io.holdfast");

    private final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    private final Random random;

    private Seller(int number) {
        random = new Random(number);
    }

    public static void main(String[] arguments) throws Exception {
        QUIET.setLevel(Level.OFF);
        Seller first = new Seller(0);
        int number = Integer.parseInt(first.in.readLine());
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(first.in.readLine());
        pool.setMaximumPoolSize(1);
        try (HikariDataSource dataSource = new HikariDataSource(pool);
                Holdfast holdfast = Holdfast.open(first.in.readLine())) {
            System.out.println("ready");
            first.serve(new Checkout(number, dataSource, holdfast));
        }
    }

    private void serve(Checkout checkout) throws Exception {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            sell(checkout, Way.valueOf(words[0]), Integer.parseInt(words[1]), Integer.parseInt(words[2]));
        }
    }

    private void sell(Checkout checkout, Way way, int most, int pauseAt) throws Exception {
        int sold = 0;
        int refused = 0;
        int roundsBefore = checkout.rounds();
        boolean[] toPause = {pauseAt > 0};
        Outcome outcome = Outcome.SOLD;
        while (outcome != Outcome.SOLD_OUT && sold < most) {
            boolean now = toPause[0] && sold + 1 >= pauseAt;
            try {
                outcome = checkout.sell(way, () -> {
                    pack();
                    if (now && toPause[0]) {
                        toPause[0] = false;
                        pause();
                    }
                });
            } catch (StoreUnavailableException e) {
                continue; // a busy machine, and little patience with a lease of a second: nothing was read yet
            }
            sold += outcome == Outcome.SOLD ? 1 : 0;
            refused += outcome == Outcome.REFUSED ? 1 : 0;
        }
        int lost = Math.max(0, checkout.rounds() - roundsBefore - sold - (outcome == Outcome.SOLD_OUT ? 1 : 0));
        System.out.println("done " + refused + " " + (way == Way.OPTIMISTIC ? lost : 0));
    }

    /** Work outside the database: a millisecond or two. */
    private void pack() {
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(500 + random.nextInt(1500)));
    }

    private void pause() {
        System.out.println("paused");
        try {
            if (in.readLine() == null) {
                throw new IllegalStateException("whoever started this process has ended");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
