// SPDX-License-Identifier: Apache-2.0
/**
 * Checks of what is stored: of one repository from its manifest down, and of the names of all.
 *
 * <p>Entry types: {@link org.jgits3.verify.Verification} and {@link org.jgits3.verify.NameCheck}.
 */
package org.jgits3.verify;
