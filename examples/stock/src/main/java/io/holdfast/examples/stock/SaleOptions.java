package io.holdfast.examples.stock;

import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * What is sold, by how many, and where.
 *
 * @param items pieces in stock at the start of each way
 * @param processes how many sell
 * @param pauses how many of them are stopped for longer than their lease, once per way
 * @param jdbc the database, or empty to start a PostgreSQL
 * @param lock the store of the lock, or empty for the same database
 */
record SaleOptions(int items, int processes, int pauses, Optional<String> jdbc, Optional<String> lock) {
    static final String USAGE = """
            usage: run [--items N] [--processes N] [--pauses N] [--jdbc URL] [--lock URL]
              --items N      pieces in stock at the start of each way (1000)
              --processes N  how many sell (8)
              --pauses N     how many of them are stopped beyond their lease, once per way (3)
              --jdbc URL     a PostgreSQL or MariaDB to use; tables named holdfast_example_* in it are replaced.
                             Without it a PostgreSQL is started and thrown away
              --lock URL     the store of the lock; without it the same database
            """;

    SaleOptions {
        if (items < 10 || items > 1_000_000 || processes < 2 || processes > 100 || pauses < 0 || pauses >= processes) {
            throw new IllegalArgumentException(
                    "give 10 to 1000000 items, 2 to 100 processes, and fewer pauses than processes");
        }
    }

    static SaleOptions parse(List<String> arguments) {
        int items = 1000;
        int processes = 8;
        int pauses = 3;
        Optional<String> jdbc = Optional.empty();
        Optional<String> lock = Optional.empty();
        for (Iterator<String> rest = arguments.iterator(); rest.hasNext(); ) {
            String option = rest.next();
            if (!rest.hasNext()) {
                throw new IllegalArgumentException(option + " needs a value, or is unknown");
            }
            String value = rest.next();
            switch (option) {
                case "--items" -> items = Integer.parseInt(value);
                case "--processes" -> processes = Integer.parseInt(value);
                case "--pauses" -> pauses = Integer.parseInt(value);
                case "--jdbc" -> jdbc = Optional.of(value);
                case "--lock" -> lock = Optional.of(value);
                default -> throw new IllegalArgumentException(option + " is unknown");
            }
        }
        return new SaleOptions(items, processes, pauses, jdbc, lock);
    }
}
