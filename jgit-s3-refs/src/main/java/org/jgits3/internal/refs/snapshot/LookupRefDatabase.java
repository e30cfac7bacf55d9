// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefDatabase;

/** Answers the look-ups of JGit from views of refs, each from one view. */
public abstract class LookupRefDatabase extends RefDatabase {
  /**
   * Returns the refs for a look-up.
   *
   * @return the refs
   * @throws IOException if they cannot be read
   */
  protected abstract RefView lookup() throws IOException;

  /**
   * Returns the refs as of some moment after this call began, for decisions.
   *
   * @return the refs
   * @throws IOException if they cannot be read
   */
  public abstract RefView validated() throws IOException;

  /** Does nothing: a repository is created with its refs. */
  @Override
  public void create() {}

  @Override
  public void close() {}

  @Override
  public boolean isNameConflicting(String name) throws IOException {
    return !validated().conflicts(name, 1).isEmpty();
  }

  @Override
  public Collection<String> getConflictingNames(String name) throws IOException {
    return validated().conflicts(name, Integer.MAX_VALUE);
  }

  @Override
  @Nullable
  public Ref exactRef(String name) throws IOException {
    return lookup().exact(name);
  }

  @Override
  public Map<String, Ref> exactRef(String... names) throws IOException {
    if (names.length == 0) {
      return Map.of(); // as JGit asks for each fetch that names no ref
    }
    RefView view = lookup();
    Map<String, Ref> found = new HashMap<>();
    for (String name : names) {
      Ref ref = view.exact(name);
      if (ref != null) {
        found.put(name, ref);
      }
    }
    return found;
  }

  @Override
  @Nullable
  public Ref firstExactRef(String... names) throws IOException {
    RefView view = lookup();
    for (String name : names) {
      Ref ref = view.exact(name);
      if (ref != null) {
        return ref;
      }
    }
    return null;
  }

  @Override
  public List<Ref> getRefsByPrefix(String prefix) throws IOException {
    return lookup().prefix(prefix, Set.of());
  }

  @Override
  public List<Ref> getRefsByPrefix(String... prefixes) throws IOException {
    RefView view = lookup();
    List<Ref> refs = new ArrayList<>();
    for (String prefix : prefixes) {
      refs.addAll(view.prefix(prefix, Set.of()));
    }
    return List.copyOf(refs);
  }

  @Override
  public List<Ref> getRefsByPrefixWithExclusions(String include, Set<String> excludes)
      throws IOException {
    return lookup().prefix(include, excludes);
  }

  /** Answers from an index that is built on first use. */
  @Override
  public Set<Ref> getTipsWithSha1(ObjectId id) throws IOException {
    return lookup().tips(id);
  }

  /**
   * Tests whether a ref points to an object, or to a tag of it.
   *
   * @param id the object
   * @return true if one does
   * @throws IOException if refs cannot be read
   */
  public boolean isTip(ObjectId id) throws IOException {
    return lookup().anyTip(id, name -> true);
  }

  @Override
  public boolean hasFastTipsWithSha1() {
    return true;
  }

  @Override
  public boolean hasRefs() throws IOException {
    return lookup().hasAny();
  }

  /**
   * Returns no refs: a repository without a working tree has no {@code FETCH_HEAD} and the like.
   */
  @Override
  public List<Ref> getAdditionalRefs() {
    return List.of();
  }
}
