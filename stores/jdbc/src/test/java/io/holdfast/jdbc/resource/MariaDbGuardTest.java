package io.holdfast.jdbc.resource;

final class MariaDbGuardTest extends GuardContract {
    MariaDbGuardTest() {
        super(TestDatabase.MARIADB);
    }
}
