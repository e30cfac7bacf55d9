// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A test with a {@linkplain FullHeap full heap}. Which thread of a JVM asks for memory next is not
 * up to the test, so that a good run proves more than a bad one; it is run by hand: {@code mvn -B
 * -pl jgit-s3-refs test -Dtest='FullHeapTest,ManifestCommitterTest' -Dheap.full=true}.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@EnabledIfSystemProperty(named = "heap.full", matches = "true")
public @interface FillsTheHeap {}
