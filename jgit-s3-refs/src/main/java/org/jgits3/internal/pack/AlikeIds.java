// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.pack;

import org.eclipse.jgit.errors.PackProtocolException;
import org.eclipse.jgit.lib.AnyObjectId;

/**
 * Counts ids of a client that share the part by which a map finds its place for them, and refuses
 * very many: each look-up would compare an id with all others. The part is chosen by the client if
 * the id need not be that of an object. Used by one thread.
 */
public final class AlikeIds {
  /** Ids that may share the part with an earlier one, beside one of a hundred. */
  private static final int ALIKE = 1000;

  private final IdSet named = new IdSet();
  private final IdSet parts = new IdSet();
  private int ids;
  private int alike;

  /** The first four bytes of an id, by which JGit's own maps find a place. */
  static int start(AnyObjectId id) {
    return (int) (IdSet.start(id) >>> Integer.SIZE);
  }

  /**
   * Counts an id, unless it was named before.
   *
   * @param id the id
   * @param part its part by which the map finds a place
   * @throws PackProtocolException if too many ids share their parts
   */
  public void add(AnyObjectId id, int part) throws PackProtocolException {
    if (named.add(id)) { // refs may have the same, and so may the ends of the client's history
      addNew(part);
    }
  }

  /**
   * Counts an id that was not named before, as the caller knows.
   *
   * @param part its part by which the map finds a place
   * @throws PackProtocolException if too many ids share their parts
   */
  void addNew(int part) throws PackProtocolException {
    ids++;
    if (!parts.add(part | 1L << Integer.SIZE) && ++alike > ALIKE + ids / 100) {
      throw new PackProtocolException("too many object ids of the request are alike");
    }
  }
}
