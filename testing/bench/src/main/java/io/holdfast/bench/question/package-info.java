/** What is asked of every store: one class per question, and the workloads that ask them. */
@NullMarked
package io.holdfast.bench.question;

import org.jspecify.annotations.NullMarked;
