package io.holdfast.jdbc.resource;

final class SqliteGuardTest extends GuardContract {
    SqliteGuardTest() {
        super(TestDatabase.SQLITE);
    }
}
