package io.holdfast.guard.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("slow")
final class MySqlGuardTest extends GuardContract {
    MySqlGuardTest() {
        super(TestDatabase.MYSQL);
    }
}
