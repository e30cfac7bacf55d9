// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Set;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.revwalk.RevWalk;

/** Operations whose results in {@code RefDirectory} should not be imitated. */
final class RefDirectoryLimits {
  private RefDirectoryLimits() {}

  /**
   * Tests whether an operation cannot be compared.
   *
   * @param operation what would be done
   * @param context on what
   */
  static boolean exclude(RefOperation operation, RefOperation.Context context) throws IOException {
    // To rename a ref that does not exist is a NullPointerException; to its own name, a new ref; to
    // a ref that exists, refused but with the loss of that ref's log, unless it is symbolic and
    // leads to nothing: then it is overwritten; with another ref in the way, an IO_FAILURE where it
    // is in the way of the log's file as well.
    if (operation instanceof RefOperation.Rename r) {
      return context.ref(r.from()) == null
          || context.ref(r.to()) != null
          || !Set.of(r.from())
              .containsAll(context.model().getRefDatabase().getConflictingNames(r.to()))
          || makesBranchOfOther(context, r);
    }
    // To delete a ref that is not there, and to say so.
    if (operation instanceof RefOperation.CommitBatch b) {
      for (RefOperation.Command c : b.commands()) {
        // An atomic batch writes the value of a symbolic ref to packed-refs, where it is not read.
        Ref ref = context.ref(c.name());
        if (b.atomic() && b.commands().size() > 1 && ref != null && ref.isSymbolic()) {
          return true;
        }
        if (leadsToConflict(context, c.name(), false) || leadsInTheWay(ref, b)) {
          return true;
        }
        if (isBranchToOther(context, c.name(), c.object().orElse(""), false)) {
          return true;
        }
        if (c.deletes() && context.old(c.old(), c.name()).orElseThrow().equals(ObjectId.zeroId())) {
          return true;
        }
      }
      // A name twice in an atomic batch is an IOException, and leaves a lock behind.
      long names = b.commands().stream().map(RefOperation.Command::name).distinct().count();
      return b.atomic() && names < b.commands().size();
    }
    // Through a symbolic ref, a ref in the way of the target is an IOException, or both come to be.
    if (operation instanceof RefOperation.Update u) {
      return leadsToConflict(context, u.name(), u.detach())
          || isBranchToOther(context, u.name(), u.object(), u.detach());
    }
    if (operation instanceof RefOperation.Delete d) {
      return leadsToConflict(context, d.name(), d.detach());
    }
    // While a symbolic ref leads to nothing, listings show what packed-refs has of its name. Those
    // that lead to each other are as if they were not there, but come back.
    if (operation instanceof RefOperation.Link l) {
      return isPacked(context, l.name()) || leadsTo(context, l.target(), l.name());
    }
    return false;
  }

  /**
   * Tests whether a batch has, by another name, a ref that conflicts with a symbolic ref's target.
   */
  private static boolean leadsInTheWay(Ref ref, RefOperation.CommitBatch batch) {
    if (ref == null || !ref.isSymbolic()) {
      return false;
    }
    String target = ref.getLeaf().getName();
    return batch.commands().stream()
        .map(RefOperation.Command::name)
        .anyMatch(n -> n.startsWith(target + "/") || target.startsWith(n + "/"));
  }

  private static boolean isPacked(RefOperation.Context context, String name) throws IOException {
    File packed = new File(context.model().getDirectory(), "packed-refs");
    return packed.exists()
        && Files.readAllLines(packed.toPath()).stream().anyMatch(line -> line.endsWith(" " + name));
  }

  private static boolean leadsTo(RefOperation.Context context, String from, String to)
      throws IOException {
    if (from.equals(to)) {
      return true;
    }
    Ref ref = context.ref(from);
    return ref != null && ref.isSymbolic() && leadsTo(context, ref.getTarget().getName(), to);
  }

  /** Tests whether a branch would point to an object that is no commit: Git and we refuse that. */
  private static boolean isBranchToOther(
      RefOperation.Context context, String name, String object, boolean itself) throws IOException {
    Ref ref = itself ? null : context.ref(name);
    boolean follows = ref != null && ref.isSymbolic();
    return Set.of("tag", "tagOfTag", "blob").contains(object)
        && S3RefDatabase.isBranch(follows ? ref.getLeaf().getName() : name);
  }

  /** Tests whether a rename would make a branch of a ref to an object that is no commit. */
  private static boolean makesBranchOfOther(
      RefOperation.Context context, RefOperation.Rename rename) throws IOException {
    if (S3RefDatabase.isBranch(rename.from()) || !S3RefDatabase.isBranch(rename.to())) {
      return false;
    }
    ObjectId id = context.ref(rename.from()).getObjectId();
    try (RevWalk walk = new RevWalk(context.model())) {
      return id != null && S3RefDatabase.isBranchToOther(rename.to(), walk, id);
    }
  }

  private static boolean leadsToConflict(RefOperation.Context context, String name, boolean itself)
      throws IOException {
    Ref ref = itself ? null : context.ref(name);
    return ref != null
        && ref.isSymbolic()
        && context.model().getRefDatabase().isNameConflicting(ref.getLeaf().getName());
  }
}
