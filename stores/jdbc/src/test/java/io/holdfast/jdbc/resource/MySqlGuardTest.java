package io.holdfast.jdbc.resource;

final class MySqlGuardTest extends GuardContract {
    MySqlGuardTest() {
        super(TestDatabase.MYSQL);
    }
}
