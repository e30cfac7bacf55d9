// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One generation of a repository: an immutable value that names all of its objects.
 *
 * @param repositoryId random name of this life of the repository, 32 hex digits; its objects are
 *     stored under it
 * @param state whether the repository is active
 * @param generation counts up by one at every commit, also across delete and create of a name
 * @param nonce random, so that no two manifests ever have equal bytes
 * @param requires features a process must know before it may write
 * @param writers last batch of each recent committer, by writer id
 * @param prunedTo entries of {@code writers} of this generation or less may have been removed
 * @param boundary names minted at or before this generation are never listed for the first time
 * @param dropped generation of the last commit that removed objects from the repository
 * @param settings configuration, description and shallow commits
 * @param refs all refs
 * @param packs all packs, in no particular order
 * @param log all transactions
 * @param extra fields of a later version of the format, kept as they are
 */
public record Manifest(
    String repositoryId,
    RepositoryState state,
    long generation,
    String nonce,
    Set<String> requires,
    SortedMap<String, WriterEntry> writers,
    long prunedTo,
    long boundary,
    long dropped,
    RepositorySettings settings,
    Refs refs,
    List<PackEntry> packs,
    TransactionLog log,
    Map<String, JsonNode> extra) {
  /** Copies the collections. */
  public Manifest {
    Objects.requireNonNull(repositoryId, "repositoryId");
    Objects.requireNonNull(state, "state");
    requires = Set.copyOf(requires);
    writers = Collections.unmodifiableSortedMap(new TreeMap<>(writers));
    packs = List.copyOf(packs);
    extra = Map.copyOf(extra);
  }

  /** Version of the stored format that this code writes. */
  public static final int FORMAT = 1;

  /** Largest encoded manifest in bytes; a commit that would exceed it is refused. */
  public static final int MAX_BYTES = 256 << 10;

  /**
   * This manifest with other refs.
   *
   * @param changed refs of the result
   * @return a copy
   */
  public Manifest withRefs(Refs changed) {
    return new Manifest(
        repositoryId,
        state,
        generation,
        nonce,
        requires,
        writers,
        prunedTo,
        boundary,
        dropped,
        settings,
        changed,
        packs,
        log,
        extra);
  }

  /**
   * This manifest with other packs.
   *
   * @param changed packs of the result
   * @return a copy
   */
  public Manifest withPacks(List<PackEntry> changed) {
    return new Manifest(
        repositoryId,
        state,
        generation,
        nonce,
        requires,
        writers,
        prunedTo,
        boundary,
        dropped,
        settings,
        refs,
        changed,
        log,
        extra);
  }

  /**
   * This manifest with another log.
   *
   * @param changed log of the result
   * @return a copy
   */
  public Manifest withLog(TransactionLog changed) {
    return new Manifest(
        repositoryId,
        state,
        generation,
        nonce,
        requires,
        writers,
        prunedTo,
        boundary,
        dropped,
        settings,
        refs,
        packs,
        changed,
        extra);
  }

  /**
   * This manifest with other settings.
   *
   * @param changed settings of the result
   * @return a copy
   */
  public Manifest withSettings(RepositorySettings changed) {
    return new Manifest(
        repositoryId,
        state,
        generation,
        nonce,
        requires,
        writers,
        prunedTo,
        boundary,
        dropped,
        changed,
        refs,
        packs,
        log,
        extra);
  }
}
