// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One generation of a repository: an immutable value that names all of its objects.
 *
 * @param identity which manifest of which repository this is
 * @param counters generations that only ever grow
 * @param content settings, refs, packs and log
 * @param extra fields of a later version of the format, kept as they are
 */
public record Manifest(
    Identity identity, Counters counters, Content content, Map<String, JsonNode> extra) {
  /** Copies the collections. */
  public Manifest {
    Objects.requireNonNull(identity, "identity");
    Objects.requireNonNull(counters, "counters");
    Objects.requireNonNull(content, "content");
    extra = Map.copyOf(extra);
  }

  /**
   * Identity of one manifest.
   *
   * @param repositoryId random id of the repository, 32 hex digits; its objects are stored under it
   * @param state whether the repository is active, and its name
   * @param epoch how often the repository was bound to a name, fenced or deleted; a {@link
   *     NamePointer.Target} tells by it whether it is in use
   * @param generation counts up by one at every commit
   * @param nonce random, so that no two manifests ever have equal bytes
   * @param template the template of a fork, or the template itself; empty for other repositories
   */
  public record Identity(
      String repositoryId,
      RepositoryState state,
      long epoch,
      long generation,
      String nonce,
      Optional<Template> template) {
    /** Checks that nothing is missing. */
    public Identity {
      Objects.requireNonNull(repositoryId, "repositoryId");
      Objects.requireNonNull(state, "state");
      Objects.requireNonNull(template, "template");
    }

    /**
     * Id of the repository under which a listed object is stored.
     *
     * @param id minted name
     * @return see {@link Manifest#owner}
     */
    public String owner(String id) {
      return template.filter(t -> t.has(id)).map(Template::repositoryId).orElse(repositoryId);
    }
  }

  /**
   * Repository whose objects a manifest lists beside its own. A template names itself.
   *
   * @param repositoryId its id
   * @param generation generation at which it became a template: a name that was minted at or before
   *     it is stored under its id; 0 while an import is making it
   */
  @JsonFormat(shape = JsonFormat.Shape.ARRAY)
  public record Template(
      @JsonDeserialize(using = StoredValues.RepositoryId.class) String repositoryId,
      long generation) {
    /**
     * Tests whether an object listed by a manifest that names this template belongs to the
     * template.
     *
     * @param id minted name
     * @return true if so; false if it is stored under the manifest's own id
     */
    public boolean has(String id) {
      return ObjectNames.mintedAt(id) <= generation;
    }
  }

  /**
   * Generations at which something happened last. None is above that of the manifest.
   *
   * @param writers generation of the last batch of each recent writer, by the batch's nonce
   * @param prunedTo entries of {@code writers} of this generation or less may have been removed
   * @param sweepBoundary names minted at or before this generation are never listed for the first
   *     time
   * @param dropped generation of the last commit that removed objects from the repository
   */
  public record Counters(
      SortedMap<String, Long> writers, long prunedTo, long sweepBoundary, long dropped) {
    /** Copies the map. */
    public Counters {
      writers = Collections.unmodifiableSortedMap(new TreeMap<>(writers));
    }
  }

  /**
   * Content of one repository.
   *
   * @param settings configuration and description
   * @param refs all refs
   * @param packs all packs, in no particular order
   * @param log all transactions
   */
  public record Content(
      RepositorySettings settings, Refs refs, List<PackEntry> packs, TransactionLog log) {
    /** Copies the list. */
    public Content {
      packs = List.copyOf(packs);
    }
  }

  private static final int NONCE_BYTES = 16;

  /** Newest version of the stored format that this code knows. */
  public static final int FORMAT = 1;

  /** Largest encoded manifest in bytes; a commit that would exceed it is refused. */
  public static final int MAX_BYTES = 256 << 10;

  /**
   * Bytes of a manifest that a change which adds packs must leave free, so that refs can still be
   * updated, and refs and log folded, however many packs are listed.
   */
  public static final int ROOM_FOR_REFS = 12 << 10;

  /** Bytes of a manifest without writers, refs, packs, log and settings. */
  private static final int FRAME = 4 << 10;

  /** Bytes of the nonce and generation of a writer's batch. */
  private static final int PER_WRITER = 28;

  /** Bytes of a pack without its files, and of a file. */
  private static final int PER_PACK = 150;

  private static final int PER_PACK_FILE = 40;

  /**
   * Random id of the repository.
   *
   * @return 32 hex digits, see {@link Identity#repositoryId}
   */
  public String repositoryId() {
    return identity.repositoryId();
  }

  /**
   * Template of a fork, or the template itself.
   *
   * @return see {@link Identity#template}
   */
  public Optional<Template> template() {
    return identity.template();
  }

  /**
   * Tests whether this is a template, whose content never changes.
   *
   * @return true also for the tombstone of one; false while an import is making it
   */
  public boolean isTemplate() {
    return template().filter(t -> t.generation() > 0 && isOf(t)).isPresent();
  }

  /**
   * Tests whether other repositories may list objects of this one, by this manifest or a later one.
   *
   * @return true for a template, its tombstone, and one that an import is making
   */
  public boolean mayHaveForks() {
    return template().filter(this::isOf).isPresent();
  }

  private boolean isOf(Template itself) {
    return itself.repositoryId().equals(repositoryId());
  }

  /**
   * Tests whether this is a fork: it may list objects of a template.
   *
   * @return true if so
   */
  public boolean isFork() {
    return template().filter(t -> !isOf(t)).isPresent();
  }

  /**
   * Id of the repository under which an object is stored that this manifest lists or will list.
   *
   * @param id minted name
   * @return the id for a key of {@link ObjectNames}
   */
  public String owner(String id) {
    return identity.owner(id);
  }

  /**
   * Packs that are stored under the id of this repository.
   *
   * @return all but those of the template of a fork
   */
  public List<PackEntry> ownPacks() {
    return packs().stream().filter(pack -> isOwn(pack.id())).toList();
  }

  /**
   * Tests whether an object that this lists is stored under its own id.
   *
   * @param id minted name
   * @return true if so; false for one of the template of a fork
   */
  public boolean isOwn(String id) {
    return owner(id).equals(repositoryId());
  }

  /**
   * Tests whether this lists packs of a template, which stay as they are: its own ones, or those of
   * the template of a fork.
   *
   * @return true if so
   */
  public boolean sharesPacks() {
    return isTemplate() || ownPacks().size() < packs().size();
  }

  /**
   * State of the repository.
   *
   * @return see {@link Identity#state}
   */
  public RepositoryState state() {
    return identity.state();
  }

  /**
   * Name that the repository says.
   *
   * @return the name; empty unless it is {@linkplain RepositoryState.Active active}
   */
  public Optional<RepositoryName> name() {
    return state() instanceof RepositoryState.Active active
        ? Optional.of(active.name())
        : Optional.empty();
  }

  /**
   * Number of bindings to a name.
   *
   * @return see {@link Identity#epoch}
   */
  public long epoch() {
    return identity.epoch();
  }

  /**
   * Generation of this manifest.
   *
   * @return see {@link Identity#generation}
   */
  public long generation() {
    return identity.generation();
  }

  /**
   * Nonce of this manifest.
   *
   * @return see {@link Identity#nonce}
   */
  public String nonce() {
    return identity.nonce();
  }

  /**
   * Sweep boundary.
   *
   * @return see {@link Counters#sweepBoundary}
   */
  public long sweepBoundary() {
    return counters.sweepBoundary();
  }

  /**
   * Generation of the last removal of objects.
   *
   * @return see {@link Counters#dropped}
   */
  public long dropped() {
    return counters.dropped();
  }

  /**
   * Settings of the repository.
   *
   * @return see {@link Content#settings}
   */
  public RepositorySettings settings() {
    return content.settings();
  }

  /**
   * Refs of the repository.
   *
   * @return see {@link Content#refs}
   */
  public Refs refs() {
    return content.refs();
  }

  /**
   * Packs of the repository.
   *
   * @return see {@link Content#packs}
   */
  public List<PackEntry> packs() {
    return content.packs();
  }

  /**
   * Log of the repository.
   *
   * @return see {@link Content#log}
   */
  public TransactionLog log() {
    return content.log();
  }

  /**
   * Estimated size in the store, computed without encoding.
   *
   * @return bytes, rather too many than too few
   */
  public long approximateBytes() {
    long ofPacks =
        packs().stream().mapToLong(p -> PER_PACK + PER_PACK_FILE * p.files().size()).sum();
    return FRAME
        + (long) PER_WRITER * counters.writers().size()
        + settings().config().length()
        + settings().description().length()
        + refs().approximateBytes()
        + log().approximateBytes()
        + ofPacks;
  }

  /**
   * Estimate of the bytes that the overlay and the tail of the log may take together.
   *
   * @return bytes that nothing else takes, at least {@link #ROOM_FOR_REFS}
   */
  public long roomForRefs() {
    long folded = refs().overlayBytes() + TransactionLog.approximateBytes(log().tail());
    return Math.max(ROOM_FOR_REFS, MAX_BYTES - (approximateBytes() - folded));
  }

  /**
   * This manifest with other refs.
   *
   * @param changed refs of the result
   * @return a copy
   */
  public Manifest withRefs(Refs changed) {
    return with(new Content(settings(), changed, packs(), log()));
  }

  /**
   * This manifest with other packs.
   *
   * @param changed packs of the result
   * @return a copy
   */
  public Manifest withPacks(List<PackEntry> changed) {
    return with(new Content(settings(), refs(), changed, log()));
  }

  /**
   * This manifest with another log.
   *
   * @param changed log of the result
   * @return a copy
   */
  public Manifest withLog(TransactionLog changed) {
    return with(new Content(settings(), refs(), packs(), changed));
  }

  /**
   * This manifest with other settings.
   *
   * @param changed settings of the result
   * @return a copy
   */
  public Manifest withSettings(RepositorySettings changed) {
    return with(new Content(changed, refs(), packs(), log()));
  }

  /**
   * This manifest with another sweep boundary.
   *
   * @param changed boundary of the result; a commit never lowers it
   * @return a copy
   */
  public Manifest withSweepBoundary(long changed) {
    return with(new Counters(counters.writers, counters.prunedTo, changed, dropped()));
  }

  /**
   * This manifest with another generation of the last removal of objects.
   *
   * @param changed see {@link Counters#dropped}; a commit never lowers it
   * @return a copy
   */
  public Manifest withDropped(long changed) {
    return with(new Counters(counters.writers, counters.prunedTo, sweepBoundary(), changed));
  }

  /**
   * This manifest with another template.
   *
   * @param changed see {@link Identity#template}; {@code ListingRules} says which change is allowed
   * @return a copy
   */
  public Manifest withTemplate(Optional<Template> changed) {
    return new Manifest(identity(state(), epoch(), changed), counters, content, extra);
  }

  /**
   * This manifest with a name.
   *
   * @param name the name
   * @return a copy in the next epoch
   */
  public Manifest named(RepositoryName name) {
    return inEpoch(epoch() + 1, new RepositoryState.Active(name));
  }

  /**
   * This manifest in a later epoch, so that each bind that is under way fails.
   *
   * @param epoch the epoch
   * @return a copy
   */
  public Manifest fenced(long epoch) {
    return inEpoch(epoch, state());
  }

  /**
   * The tombstone of this repository.
   *
   * @param since current time in milliseconds since the epoch
   * @return a copy in the next epoch, without content and without fields of later versions
   */
  public Manifest deleted(long since) {
    Content none = new Content(RepositorySettings.NONE, Refs.NONE, List.of(), TransactionLog.EMPTY);
    Identity gone = identity(new RepositoryState.Deleted(since), epoch() + 1, template());
    return new Manifest(gone, counters, none, Map.of());
  }

  private Manifest inEpoch(long epoch, RepositoryState state) {
    return new Manifest(identity(state, epoch, template()), counters, content, extra);
  }

  private Identity identity(RepositoryState state, long epoch, Optional<Template> template) {
    return new Identity(repositoryId(), state, epoch, generation(), nonce(), template);
  }

  /**
   * Creates the first manifest of a fork of this template: its content and its template. The log is
   * kept, so that followers of the fork learn of its refs.
   *
   * @param forkId random id of the fork
   * @param name its name
   * @return the manifest, with a fresh nonce; its generation is above that of the template's
   *     objects
   */
  public Manifest fork(String forkId, RepositoryName name) {
    return new Manifest(
        new Identity(
            forkId,
            new RepositoryState.Active(name),
            1,
            generation() + 1,
            ObjectNames.random(NONCE_BYTES),
            template()),
        new Counters(Collections.emptySortedMap(), generation(), generation(), 0),
        content,
        extra);
  }

  private Manifest with(Content changed) {
    return new Manifest(identity, counters, changed, extra);
  }

  private Manifest with(Counters changed) {
    return new Manifest(identity, changed, content, extra);
  }

  /**
   * This manifest as the generation that a commit makes.
   *
   * @param made its generation
   * @param state its state
   * @param writers its writers
   * @param prunedTo see {@link Counters#prunedTo}
   * @return a copy with a fresh nonce
   */
  public Manifest committed(
      long made, RepositoryState state, SortedMap<String, Long> writers, long prunedTo) {
    String nonce = ObjectNames.random(NONCE_BYTES);
    return new Manifest(
        new Identity(repositoryId(), state, epoch(), made, nonce, template()),
        new Counters(writers, prunedTo, sweepBoundary(), dropped()),
        content,
        extra);
  }

  /**
   * This manifest with its sweep boundary and its generation of the last removal raised to at least
   * those of another.
   *
   * @param other the other one
   * @return a copy
   */
  public Manifest notBelow(Manifest other) {
    return withSweepBoundary(Math.max(sweepBoundary(), other.sweepBoundary()))
        .withDropped(Math.max(dropped(), other.dropped()));
  }

  /**
   * Creates the first manifest of a repository, without objects.
   *
   * @param repositoryId its id
   * @param state its state
   * @param epoch its epoch: 0 without a name, 1 with one
   * @param settings settings to begin with
   * @param refs refs to begin with
   * @return the manifest of generation 1, with a fresh nonce
   */
  public static Manifest first(
      String repositoryId,
      RepositoryState state,
      long epoch,
      RepositorySettings settings,
      Refs refs) {
    return new Manifest(
        new Identity(
            repositoryId, state, epoch, 1, ObjectNames.random(NONCE_BYTES), Optional.empty()),
        new Counters(Collections.emptySortedMap(), 0, 0, 0),
        new Content(settings, refs, List.of(), TransactionLog.EMPTY),
        Map.of());
  }

  /**
   * Tests whether this holds the content of a repository, readable or not.
   *
   * @return false for a tombstone
   */
  public boolean holdsRepository() {
    return !(state() instanceof RepositoryState.Deleted);
  }

  /**
   * Decodes a copy of a manifest, such as an old version that a bucket has kept.
   *
   * @param where name for messages, a file name
   * @param bytes its stored form
   * @return the manifest
   * @throws ManifestException.Unsupported if it has a newer format
   * @throws ManifestException.Corrupt if the bytes are no manifest
   */
  public static Manifest decode(String where, byte[] bytes) throws ManifestException {
    return ManifestCodec.decode(where, bytes);
  }
}
