package io.holdfast.bench.workloads;

/** The least that a JVM can do for a user. */
final class HelloWorld {
    private HelloWorld() {}

    public static void main(String[] args) {
        System.out.println("hello, world");
    }
}
