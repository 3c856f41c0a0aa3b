package io.holdfast.guard.jdbc;

final class PostgresGuardTest extends GuardContract {
    PostgresGuardTest() {
        super(TestDatabase.POSTGRESQL);
    }
}
