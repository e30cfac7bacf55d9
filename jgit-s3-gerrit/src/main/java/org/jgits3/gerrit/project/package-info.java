// SPDX-License-Identifier: Apache-2.0
/**
 * Moves and deletions of projects by REST.
 *
 * <p>Depends on {@code repository} and {@code index} beside it.
 */
package org.jgits3.gerrit.project;
