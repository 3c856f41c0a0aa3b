<<<<<<<< HEAD:testing/arch/src/test/java/io/holdfast/arch/broken/sql/StoreSeesAnotherStore.java
package io.holdfast.arch.broken.sql;
========
package io.holdfast.arch.broken.file;
>>>>>>>> origin/main:testing/arch/src/test/java/io/holdfast/arch/broken/file/StoreSeesAnotherStore.java

import io.holdfast.arch.broken.memory.StoreSeesTheEngine;

/** Breaks: a store sees no other store. */
public record StoreSeesAnotherStore(StoreSeesTheEngine other) {}
