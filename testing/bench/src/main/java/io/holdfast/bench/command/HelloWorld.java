package io.holdfast.bench.command;

/** The least that a JVM can do for a user. */
public final class HelloWorld {
    private HelloWorld() {}

    public static void main(String[] args) {
        System.out.println("hello, world");
    }
}
