// SPDX-License-Identifier: Apache-2.0
/**
 * What keeps a repository healthy: verification, garbage collection, compaction of packs, and the
 * sweep of objects that no manifest lists.
 *
 * <p>{@link org.jgits3.maintenance.Maintenance} does it for one repository. Depends on {@code
 * org.jgits3.refs}, {@code org.jgits3.pack}, {@code org.jgits3.manifest} and {@code
 * org.jgits3.store}.
 */
package org.jgits3.maintenance;
