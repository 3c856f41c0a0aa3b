package io.holdfast.tck;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Which clauses and protocol rules a test holds a store or the engine to, as in {@code "S1, U10"}. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Clause {
    /** The ids, with commas. */
    String value();
}
