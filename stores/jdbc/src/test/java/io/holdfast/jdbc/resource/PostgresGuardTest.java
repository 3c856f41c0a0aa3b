package io.holdfast.jdbc.resource;

final class PostgresGuardTest extends GuardContract {
    PostgresGuardTest() {
        super(TestDatabase.POSTGRESQL);
    }
}
