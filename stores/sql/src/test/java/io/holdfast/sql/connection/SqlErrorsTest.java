package io.holdfast.sql.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.StoreUnavailableException;
import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Errors of the drivers, as they were seen, in our own words; and whether the outcome is known. */
final class SqlErrorsTest {
    @ParameterizedTest
    @CsvSource({
        "08006, 0, true, did not answer",
        "57P01, 0, true, did not answer",
        "HY000, 0, true, did not answer",
        "HY000, 2013, true, did not answer",
        "HY000, 1205, false, took too long",
        "41000, 1205, false, took too long",
        "40001, 1205, false, took too long",
        "HY000, 3572, false, took too long",
        "55P03, 0, false, took too long",
        "HY000, 1290, false, read-only",
        "25006, 1792, false, read-only",
        "25006, 0, false, read-only",
        "HY000, 1114, false, refused a statement",
        "42S02, 1146, false, has no tables",
        "42501, 0, false, refused a statement",
    })
    void anErrorIsLostOnlyIfTheServerDidNotAnswer(String state, int code, boolean unknown, String words) {
        StoreUnavailableException told = SqlErrors.whileRunning(new SQLException("as sent", state, code), "db");

        assertThat(told.outcomeUnknown()).isEqualTo(unknown);
        assertThat(told).hasMessageContaining(words).hasMessageContaining("as sent");
    }
}
