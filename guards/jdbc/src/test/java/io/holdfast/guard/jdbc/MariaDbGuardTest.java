package io.holdfast.guard.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("slow")
final class MariaDbGuardTest extends GuardContract {
    MariaDbGuardTest() {
        super(TestDatabase.MARIADB);
    }
}
