package io.holdfast.jdbc.resource;

import org.junit.jupiter.api.Tag;

@Tag("slow")
final class MySqlGuardTest extends GuardContract {
    MySqlGuardTest() {
        super(TestDatabase.MYSQL);
    }
}
