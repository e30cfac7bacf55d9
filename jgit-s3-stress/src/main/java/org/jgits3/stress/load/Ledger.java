// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Pushes that clients began, and those that they saw as done. Each branch has one client, which
 * pushes one commit after the other, each on top of the one before. Thread-safe.
 */
final class Ledger {
  /** Branch of a repository. */
  record Branch(String repository, String name) implements Comparable<Branch> {
    @Override
    public int compareTo(Branch other) {
      int order = repository.compareTo(other.repository);
      return order != 0 ? order : name.compareTo(other.name);
    }
  }

  /** Commits that were acknowledged, in order. */
  private final Map<Branch, List<String>> done = new TreeMap<>();

  /** Commits whose push has begun and has not been acknowledged. */
  private final Map<Branch, String> begun = new TreeMap<>();

  synchronized void begins(Branch branch, String commit) {
    begun.put(branch, commit);
  }

  synchronized void acknowledged(Branch branch, String commit) {
    begun.remove(branch);
    done.computeIfAbsent(branch, b -> new ArrayList<>()).add(commit);
  }

  /** Returns how many pushes are under way, or have failed. */
  synchronized int underWay() {
    return begun.size();
  }

  /** Returns the branches that have a commit. */
  synchronized List<Branch> branches() {
    return List.copyOf(done.keySet());
  }

  /** Returns the commits of a branch that were acknowledged, in order. */
  synchronized List<String> acknowledged(Branch branch) {
    return List.copyOf(done.getOrDefault(branch, List.of()));
  }

  /** Tests whether a branch may have a value: that of the last push, or one in doubt. */
  synchronized boolean explains(Branch branch, Optional<String> value) {
    List<String> commits = done.getOrDefault(branch, List.of());
    Optional<String> last =
        commits.isEmpty() ? Optional.empty() : Optional.of(commits.get(commits.size() - 1));
    return value.equals(last)
        || (value.isPresent() && value.equals(Optional.ofNullable(begun.get(branch))));
  }
}
