// SPDX-License-Identifier: Apache-2.0
/**
 * Keeps a repository healthy: garbage collection, compaction of packs, and the sweep of objects
 * that no manifest lists.
 *
 * <p>Entry type: {@link org.jgits3.maintenance.Maintenance}.
 */
package org.jgits3.maintenance;
