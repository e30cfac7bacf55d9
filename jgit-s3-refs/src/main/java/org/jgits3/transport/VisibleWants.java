// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.errors.PackProtocolException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.revwalk.ObjectWalk;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevObject;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.UploadPack;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.internal.refs.snapshot.ShownRefs;

/**
 * Accepts objects that refs point to, which are looked up, and objects reachable from refs. Refs
 * other than branches and tags are read only if not all objects are reachable from those.
 *
 * @param refs the refs, read when an object is wanted
 */
record VisibleWants(IoSupplier<ShownRefs> refs) implements UploadPack.RequestValidator {
  @Override
  public void checkWants(UploadPack up, List<ObjectId> wants) throws IOException {
    ShownRefs tips = refs.get();
    List<ObjectId> others = wants.stream().filter(id -> !tips.hasTip(id)).toList();
    if (others.isEmpty()) {
      return;
    }
    try (ObjectReader reader = up.getRevWalk().getObjectReader().newReader()) {
      Optional<ObjectId> hidden =
          unreachable(reader, others, tips.under(List.of(Constants.R_HEADS, Constants.R_TAGS)));
      if (hidden.isPresent()) {
        hidden = unreachable(reader, others, tips);
      }
      if (hidden.isPresent()) {
        throw notOurs(hidden.get());
      }
    } catch (MissingObjectException e) {
      throw notOurs(e.getObjectId());
    }
  }

  private static PackProtocolException notOurs(ObjectId id) {
    return new PackProtocolException("upload-pack: not our ref " + id.name());
  }

  /**
   * An object that is not reachable from the given refs; found by a walk of its own, because the
   * marks of a walk stay.
   */
  private static Optional<ObjectId> unreachable(
      ObjectReader reader, List<ObjectId> ids, ShownRefs refs) throws IOException {
    try (ObjectWalk walk = new ObjectWalk(reader)) {
      walk.setRetainBody(false);
      List<RevObject> objects = new ArrayList<>();
      for (ObjectId id : ids) {
        objects.add(walk.parseAny(id));
      }
      return unreachable(walk, objects, refs);
    }
  }

  private static Optional<ObjectId> unreachable(
      ObjectWalk walk, List<RevObject> objects, ShownRefs refs) throws IOException {
    ObjectReader reader = walk.getObjectReader();
    Stream<RevObject> starts =
        StreamSupport.stream(refs.spliterator(), false)
            .map(ref -> object(walk, ref))
            .filter(Objects::nonNull);
    List<RevCommit> commits =
        objects.stream().filter(RevCommit.class::isInstance).map(RevCommit.class::cast).toList();
    if (commits.size() < objects.size()) {
      return reader
          .createObjectReachabilityChecker(walk)
          .areAllReachable(objects, starts)
          .map(RevObject::copy);
    }
    return reader
        .createReachabilityChecker(walk)
        .areAllReachable(
            commits, starts.filter(RevCommit.class::isInstance).map(RevCommit.class::cast))
        .map(RevObject::copy);
  }

  /** The peeled object of a ref; null if it cannot be read, so that it leads to nothing. */
  @Nullable
  private static RevObject object(RevWalk walk, Ref ref) {
    ObjectId peeled = ref.getPeeledObjectId();
    try {
      return walk.parseAny(peeled == null ? ref.getObjectId() : peeled);
    } catch (IOException e) {
      return null;
    }
  }
}
