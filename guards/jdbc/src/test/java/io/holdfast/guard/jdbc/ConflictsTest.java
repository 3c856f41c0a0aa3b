package io.holdfast.guard.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import org.junit.jupiter.api.Test;

/** What may be done again without being applied twice. */
final class ConflictsTest {
    @Test
    void aRollbackMayBeRepeated() {
        assertThat(Conflicts.isRetryable(new SQLException("serialization", "40001")))
                .isTrue();
        assertThat(Conflicts.isRetryable(new SQLException("deadlock", "40P01"))).isTrue();
        assertThat(Conflicts.isRetryable(new SQLException(new SQLException("deadlock", "40001"))))
                .isTrue();
    }

    @Test
    void aTransactionOfWhichNobodyKnowsWhetherItCommittedMayNot() {
        assertThat(Conflicts.isRetryable(new SQLException("completion unknown", "40003")))
                .isFalse();
        assertThat(Conflicts.isRetryable(new SQLTransactionRollbackException("completion unknown", "40003")))
                .isFalse();
        assertThat(Conflicts.isRetryable(
                        new SQLTransactionRollbackException("wrapped", "40000", new SQLException("unknown", "40003"))))
                .isFalse();
    }
}
