// SPDX-License-Identifier: Apache-2.0
/** Functions of {@link java.util.function} that may fail with an {@link java.io.IOException}. */
package org.jgits3.internal.function;
