package io.holdfast.bench.command;

/** The shortest program of a JVM. */
public final class HelloWorld {
    private HelloWorld() {}

    public static void main(String[] args) {
        System.out.println("hello, world");
    }
}
