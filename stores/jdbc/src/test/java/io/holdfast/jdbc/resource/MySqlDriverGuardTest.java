package io.holdfast.jdbc.resource;

/** MySQL's driver, on MariaDB: what differs is what the driver says of the database and of affected rows. */
final class MySqlDriverGuardTest extends GuardContract {
    MySqlDriverGuardTest() {
        super(TestDatabase.MYSQL_DRIVER);
    }
}
