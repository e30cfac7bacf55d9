// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.jgits3.store.StoreKind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs the tests of a class with each {@link StoreKind}. The tag is that of tests that use S3. */
@ParameterizedClass(quoteTextArguments = false)
@MethodSource("org.jgits3.store.StoreKind#all")
@Tag("s3")
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface EachStore {}
