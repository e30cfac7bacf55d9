// SPDX-License-Identifier: Apache-2.0
/**
 * State that all Gerrits on a store share beside repositories: events, web sessions, and leases of
 * scheduled tasks.
 *
 * <p>Depends on {@code org.jgits3.gerrit.repository}.
 */
package org.jgits3.gerrit.shared;
