// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.version;

import java.util.function.Supplier;
import org.eclipse.jgit.lib.StoredConfig;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.pack.SharedPacks;
import org.jgits3.store.ObjectStore;

/**
 * Repository to maintain, with the parts that maintenance uses.
 *
 * @param store store of the repository
 * @param name its name, or its id while it has none
 * @param committer its commit loop
 * @param packs its packs
 * @param config returns its configuration as of the newest known manifest
 */
public record MaintenanceTarget(
    ObjectStore store,
    String name,
    ManifestCommitter committer,
    SharedPacks packs,
    Supplier<StoredConfig> config) {}
