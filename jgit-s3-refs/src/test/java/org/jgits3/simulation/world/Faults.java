// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation.world;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.WeakHashMap;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.refs.table.RefTable;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;

/** Code that mutated code calls instead of what the library calls. */
@SuppressWarnings("unused") // called by mutated code
public final class Faults {
  private static final Map<Object, Object> REMEMBERED = new WeakHashMap<>();

  private Faults() {}

  /** Makes the same name each time. */
  public static String sameName(int bytes) {
    return "00".repeat(bytes);
  }

  /** Prunes writers, and does not record how far. */
  public static Object withoutPrunedTo(
      Object changed, long generation, Object state, SortedMap<String, Long> writers, long to) {
    Manifest manifest = (Manifest) changed;
    return manifest.committed(
        generation, (RepositoryState) state, writers, manifest.counters().prunedTo());
  }

  /** Delivers all verdicts before their write is made. */
  public static boolean deliverFirst(Object batch) throws Exception {
    call(batch, "deliver");
    return (Boolean) call(batch, "edited");
  }

  /** Delivers refusals before the write of their batch is made. */
  public static boolean refuseFirst(Object batch) throws Exception {
    for (Object verdict : (List<?>) field(batch, "verdicts")) {
      if (Boolean.FALSE.equals(call(call(verdict, "pending"), "verdict"))) {
        call(verdict, "deliver");
      }
    }
    return (Boolean) call(batch, "edited");
  }

  /** Finds no refs that differ. */
  public static Set<String> noneDiffer(Object from, Object base) {
    return new HashSet<>();
  }

  /** Finds the refs that differ, without those that were folded. */
  public static Set<String> unfoldedDiffer(Object from, Object base) {
    Set<String> names = new HashSet<>(((Refs) base).overlay().keySet());
    names.removeAll(((Refs) from).overlay().keySet());
    return names;
  }

  /** Tests whether two sets of refs have the same base. */
  public static boolean sameBase(Object a, Object b) {
    return ((Refs) a).snapshot().equals(((Refs) b).snapshot());
  }

  /** Value of a ref in the base that a fold is laid on, or makes. */
  public static Optional<?> valueInBase(Object fold, String name) throws Exception {
    return (Boolean) call(fold, "isBase")
        ? (Optional<?>) call(fold, "value", name)
        : new RefTable(((RefTable) field(fold, "table")).level(0)).value(name);
  }

  /** Takes a fold whose outcome is unknown for one that was not listed. */
  public static boolean foldGivesUp(Object compaction, Object refs, Object table, Object made)
      throws Exception {
    try {
      return (Boolean) call(compaction, "commit", refs, table, made);
    } catch (UnknownOutcomeException e) {
      return false;
    }
  }

  /** Removes all, and not only some. */
  public static boolean removeAll(List<?> from, Collection<?> some) {
    from.clear();
    return true;
  }

  /** Reads a manifest, and remembers it. */
  public static Object remember(Object committer) throws IOException {
    VersionedManifest read = ((ManifestCommitter) committer).validate();
    REMEMBERED.put(committer, read);
    return read;
  }

  /** The manifest that was remembered, with the boundary of the newest. */
  public static Optional<Object> remembered(Object committer) {
    VersionedManifest read = (VersionedManifest) REMEMBERED.get(committer);
    long boundary =
        ((ManifestCommitter) committer).cached().orElseThrow().manifest().sweepBoundary();
    return Optional.of(
        new VersionedManifest(read.manifest().withSweepBoundary(boundary), read.version()));
  }

  /** Lists nothing. */
  public static List<?> nothing(Object manifest) {
    return List.of();
  }

  /** Finds that refs have moved only once. */
  public static boolean coversAfterOne(Object proven, Object base) throws Exception {
    boolean covers = (Boolean) call(proven, "covers", base);
    Thread me = Thread.currentThread();
    return covers || REMEMBERED.put(me, me) != null;
  }

  /** All packs that wait, whoever received them. */
  public static List<?> allWaiting(Object quarantine) throws Exception {
    Object deferred = field(quarantine, "deferred");
    return List.copyOf(((Map<?, ?>) field(deferred, "waiting")).values());
  }

  private static Object field(Object of, String name) throws ReflectiveOperationException {
    Field found = of.getClass().getDeclaredField(name);
    found.setAccessible(true);
    return found.get(of);
  }

  /** Calls a method that is hidden. */
  private static Object call(Object on, String name, Object... arguments) throws Exception {
    for (Method method : on.getClass().getDeclaredMethods()) {
      if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
        method.setAccessible(true);
        try {
          return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
          if (e.getCause() instanceof Error error) {
            throw error;
          }
          throw (Exception) e.getCause();
        }
      }
    }
    throw new NoSuchMethodException(name);
  }
}
