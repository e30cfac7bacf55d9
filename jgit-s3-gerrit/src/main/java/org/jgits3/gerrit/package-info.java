// SPDX-License-Identifier: Apache-2.0
/**
 * The repositories of a Gerrit in a bucket: the modules that {@code gerrit.config} names.
 *
 * <p>Depends on the packages below it. These names stay, since the configuration of sites has them.
 */
package org.jgits3.gerrit;
