// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.PackEntry;

/**
 * Packs to publish, and the packs that they replace. This is a delta, never a complete list: it
 * applies to whatever packs the manifest lists at the commit.
 *
 * @param added packs to list
 * @param replaced ids of packs to list no longer
 */
record PackReplacement(List<PackEntry> added, Set<String> replaced) {
  /** Copies both. */
  PackReplacement {
    added = List.copyOf(added);
    replaced = Set.copyOf(replaced);
  }

  /**
   * Returns a manifest with the added packs and without the replaced ones.
   *
   * @param base manifest to change
   * @return the changed manifest
   * @throws IOException if a pack to be replaced is not listed, because its successor may lack
   *     objects that another collection dropped, or be swept
   */
  Manifest apply(Manifest base) throws IOException {
    Set<String> listed = new HashSet<>();
    List<PackEntry> packs = new ArrayList<>(added);
    for (PackEntry p : base.packs()) {
      listed.add(p.id());
      if (!replaced.contains(p.id())) {
        packs.add(p);
      }
    }
    if (!listed.containsAll(replaced)) {
      throw new IOException(
          "packs to be replaced are no longer listed: another process replaced them; nothing"
              + " was changed");
    }
    return base.withPacks(packs);
  }
}
