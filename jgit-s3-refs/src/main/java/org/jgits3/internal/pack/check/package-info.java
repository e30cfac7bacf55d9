// SPDX-License-Identifier: Apache-2.0
/**
 * Checks of packs that JGit does not make and Git does. {@link
 * org.jgits3.internal.pack.check.PackCheck} is given the parts that a parser of JGit finds, {@link
 * org.jgits3.internal.pack.check.CheckedPackStream} the bytes that JGit writes.
 */
package org.jgits3.internal.pack.check;
