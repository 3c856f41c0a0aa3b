/** Samples that break the rules on purpose. */
@NullMarked
<<<<<<<< HEAD:testing/arch/src/test/java/io/holdfast/arch/broken/sql/package-info.java
package io.holdfast.arch.broken.sql;
========
package io.holdfast.arch.broken.file;
>>>>>>>> origin/main:testing/arch/src/test/java/io/holdfast/arch/broken/file/package-info.java

import org.jspecify.annotations.NullMarked;
