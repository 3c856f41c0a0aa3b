package io.holdfast.jdbc.resource;

final class H2GuardTest extends GuardContract {
    H2GuardTest() {
        super(TestDatabase.H2);
    }
}
