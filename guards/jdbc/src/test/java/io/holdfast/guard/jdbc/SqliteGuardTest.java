package io.holdfast.guard.jdbc;

final class SqliteGuardTest extends GuardContract {
    SqliteGuardTest() {
        super(TestDatabase.SQLITE);
    }
}
