package io.holdfast.guard.jdbc;

final class H2GuardTest extends GuardContract {
    H2GuardTest() {
        super(TestDatabase.H2);
    }
}
