// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.annotation.Nulls;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.ObjectId;

/**
 * One ref of a committed transaction.
 *
 * <p>An update through a symbolic ref is two changes, just as {@code RefDirectory} logs it under
 * both names: one of the ref it leads to, and one of the symbolic ref, whose target stays the same.
 *
 * @param ref full name
 * @param oldId value before, that of its target if it was symbolic; {@link ObjectId#zeroId()} if
 *     there was none
 * @param newId value after, that of its target if it is symbolic; {@link ObjectId#zeroId()} if
 *     there is none
 * @param oldTarget target before; empty if the ref was not symbolic
 * @param newTarget target after; empty if the ref is not symbolic
 * @param renamedFrom name the ref had before this transaction; empty if it was not renamed
 */
public record RefChange(
    String ref,
    ObjectId oldId,
    ObjectId newId,
    Optional<String> oldTarget,
    Optional<String> newTarget,
    Optional<String> renamedFrom) {
  /** Stored form: a zero id is null; links, if there are any, come last. */
  @JsonFormat(shape = JsonFormat.Shape.ARRAY)
  private record Tuple(
      String ref,
      @JsonProperty(required = true) @JsonSetter(nulls = Nulls.SET) @Nullable ObjectId oldId,
      @JsonProperty(required = true) @JsonSetter(nulls = Nulls.SET) @Nullable ObjectId newId,
      Optional<Links> links) {}

  private record Links(Optional<String> from, Optional<String> is, Optional<String> was) {
    static final Links NONE = new Links(Optional.empty(), Optional.empty(), Optional.empty());
  }

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  private static RefChange of(Tuple tuple) {
    Links links = tuple.links.orElse(Links.NONE);
    return new RefChange(
        tuple.ref, orZero(tuple.oldId), orZero(tuple.newId), links.was, links.is, links.from);
  }

  @JsonValue
  private List<Object> tuple() {
    List<Object> tuple = new ArrayList<>(Arrays.asList(ref, orNull(oldId), orNull(newId)));
    Links links = new Links(renamedFrom, newTarget, oldTarget);
    if (!links.equals(Links.NONE)) {
      tuple.add(links);
    }
    return tuple;
  }

  private static ObjectId orZero(@Nullable ObjectId id) {
    return id == null ? ObjectId.zeroId() : id;
  }

  @Nullable
  private static ObjectId orNull(ObjectId id) {
    return id.equals(ObjectId.zeroId()) ? null : id;
  }

  /**
   * A change of a ref that was and is not symbolic.
   *
   * @param ref full name
   * @param oldId value before; zero if the ref did not exist
   * @param newId value after; zero if the ref was deleted
   */
  public RefChange(String ref, ObjectId oldId, ObjectId newId) {
    this(ref, oldId, newId, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /**
   * This change of a ref that was or is symbolic.
   *
   * @param was target before; empty if the ref was not symbolic
   * @param is target after; empty if the ref is not symbolic
   * @return a copy
   */
  public RefChange linked(Optional<String> was, Optional<String> is) {
    return new RefChange(ref, oldId, newId, was, is, renamedFrom);
  }

  /**
   * This creation of a ref that had another name.
   *
   * @param from the other name
   * @return a copy
   */
  public RefChange renamed(String from) {
    return new RefChange(ref, oldId, newId, oldTarget, newTarget, Optional.of(from));
  }

  /**
   * Tests whether the change creates the ref.
   *
   * @return true if there was no such ref before
   */
  public boolean creates() {
    return oldTarget.isEmpty() && oldId.equals(ObjectId.zeroId());
  }

  /**
   * Tests whether the change deletes the ref.
   *
   * @return true if there is no such ref after it
   */
  public boolean deletes() {
    return newTarget.isEmpty() && newId.equals(ObjectId.zeroId());
  }

  /**
   * Tests whether the ref itself stayed as it was and the ref it leads to changed.
   *
   * @return true for an update through a symbolic ref
   */
  public boolean through() {
    return oldTarget.isPresent() && oldTarget.equals(newTarget);
  }
}
