// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transfer;

import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;

/**
 * All refs of a repository at one moment, {@code HEAD} among them.
 *
 * @param direct object of each ref that is not symbolic
 * @param symbolic target of each symbolic ref
 */
record SourceRefs(Map<String, ObjectId> direct, SortedMap<String, String> symbolic) {
  SourceRefs {
    direct = Collections.unmodifiableMap(direct);
    symbolic = Collections.unmodifiableSortedMap(symbolic);
  }

  /**
   * Selects the refs under {@code refs/}, and {@code HEAD}.
   *
   * @param refs refs, in any order; {@link #direct} keeps it, and a batch need not sort millions
   * @throws IOException if a name is not valid
   */
  static SourceRefs of(Collection<Ref> refs) throws IOException {
    Map<String, ObjectId> direct = new LinkedHashMap<>(refs.size() * 2);
    SortedMap<String, String> symbolic = new TreeMap<>();
    for (Ref ref : refs) {
      String name = ref.getName();
      if (!name.equals(Constants.HEAD) && !name.startsWith(Constants.R_REFS)) {
        continue;
      }
      if (ref.isSymbolic()) {
        check(name);
        symbolic.put(name, checked(ref.getTarget().getName()));
      } else if (ref.getObjectId() != null) {
        direct.put(checked(name), ref.getObjectId());
      }
    }
    return new SourceRefs(direct, symbolic);
  }

  private static String checked(String name) throws IOException {
    check(name);
    return name;
  }

  /** Checks a name, which becomes a file name when symbolic refs are exported. */
  static void check(String name) throws IOException {
    boolean valid = name.equals(Constants.HEAD) || Repository.isValidRefName(name);
    if (!valid) {
      throw new IOException("'" + name + "' is not a valid name of a ref");
    }
    if (name.indexOf('\ufffd') >= 0) { // JGit reads packed-refs so
      throw new IOException(name + ": the name is not UTF-8; give the ref another one");
    }
  }

  /** Distinct objects that refs point to. */
  Set<ObjectId> tips() {
    return new HashSet<>(direct.values());
  }

  /**
   * Tests whether these are the refs of a source.
   *
   * @param source refs of a source; any {@code HEAD} matches if it does not tell its own
   */
  boolean areThoseOf(SourceRefs source) {
    return equals(source) || (!source.hasHead() && withoutHead().equals(source));
  }

  private boolean hasHead() {
    return direct.containsKey(Constants.HEAD) || symbolic.containsKey(Constants.HEAD);
  }

  private SourceRefs withoutHead() {
    Map<String, ObjectId> otherDirect = new HashMap<>(direct);
    SortedMap<String, String> otherSymbolic = new TreeMap<>(symbolic);
    otherDirect.remove(Constants.HEAD);
    otherSymbolic.remove(Constants.HEAD);
    return new SourceRefs(otherDirect, otherSymbolic);
  }

  /** Number of refs, {@code HEAD} not counted. */
  int count() {
    int all = direct.size() + symbolic.size();
    return hasHead() ? all - 1 : all;
  }
}
