// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.fleet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.internal.store.read.ParallelRequests;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.store.ListedObject;
import org.jgits3.store.ObjectStore;

/** The manifests of all repositories of a store, tombstones included. */
public final class Manifests {
  /** Manifests that are in memory at a time. */
  private static final int BATCH = 64;

  private Manifests() {}

  /** Takes a listed manifest. */
  @FunctionalInterface
  public interface Listed {
    /**
     * Takes it.
     *
     * @param repositoryId id of the repository
     * @param object the manifest's object
     */
    void accept(String repositoryId, ListedObject object);
  }

  /**
   * Lists the manifests: one request for each 1,000.
   *
   * @param store the store
   * @param each takes them, in no particular order
   * @throws IOException if the store does not answer or refuses
   */
  public static void list(ObjectStore store, Listed each) throws IOException {
    store.list(
        ObjectNames.MANIFESTS,
        object ->
            ObjectNames.repositoryIdOfManifest(object.key())
                .ifPresent(id -> each.accept(id, object)));
  }

  /**
   * Tests whether a listed manifest is a tombstone.
   *
   * @param object the manifest's object
   * @return true if it holds no repository
   */
  public static boolean isTombstone(ListedObject object) {
    return object.size() < ManifestCodec.MIN_REPOSITORY_BYTES;
  }

  /**
   * Reads each manifest once, several at a time. A repository keeps its id, so that none which is
   * there all the time is missed, however it is called meanwhile.
   *
   * @param store the store
   * @param tombstones true to read those of deleted repositories as well
   * @param each takes the manifests, one at a time; may end the reading by an exception
   * @throws org.jgits3.manifest.ManifestException if a manifest cannot be read
   * @throws IOException if the store does not answer, or thrown by {@code each}
   */
  public static void readAll(ObjectStore store, boolean tombstones, IoConsumer<Manifest> each)
      throws IOException {
    readAll(
        store,
        tombstones,
        each,
        (id, why) -> {
          throw why;
        });
  }

  /** Takes the failure to decode a manifest. */
  @FunctionalInterface
  public interface Unreadable {
    /**
     * Takes it.
     *
     * @param repositoryId id of the repository
     * @param why the failure
     * @throws ManifestException to end the reading
     */
    void accept(String repositoryId, ManifestException why) throws ManifestException;
  }

  /**
   * As {@link #readAll(ObjectStore, boolean, IoConsumer)}, and goes on after a manifest that is
   * damaged or of a newer format.
   *
   * @param store the store
   * @param tombstones true to read those of deleted repositories as well
   * @param each takes the manifests, one at a time; may end the reading by an exception
   * @param unreadable takes the failures
   * @throws IOException if the store does not answer, or thrown by one of the others
   */
  public static void readAll(
      ObjectStore store, boolean tombstones, IoConsumer<Manifest> each, Unreadable unreadable)
      throws IOException {
    IdTable.Builder listed = new IdTable.Builder(0, 0);
    byte[] none = new byte[0];
    list(
        store,
        (id, object) -> {
          if (tombstones || !isTombstone(object)) {
            listed.add(id, none);
          }
        });
    IdTable ids = listed.build();
    List<String> batch = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      batch.add(ids.id(i));
      if (batch.size() == BATCH || i == ids.size() - 1) {
        for (Map.Entry<String, IoSupplier<Manifest>> read : read(store, batch).entrySet()) {
          Manifest manifest;
          try {
            manifest = read.getValue().get();
          } catch (ManifestException.Corrupt | ManifestException.Unsupported e) {
            unreadable.accept(read.getKey(), e);
            continue;
          }
          each.accept(manifest);
        }
        batch.clear();
      }
    }
  }

  private static Map<String, IoSupplier<Manifest>> read(ObjectStore store, List<String> ids)
      throws IOException {
    Map<String, IoSupplier<Manifest>> manifests = new ConcurrentHashMap<>();
    ParallelRequests.forEach(
        ids,
        id -> {
          try {
            Manifest manifest =
                ManifestFile.read(store, id).orElseThrow(() -> missing(store, id)).manifest();
            manifests.put(id, () -> manifest);
          } catch (ManifestException e) {
            manifests.put(
                id,
                () -> {
                  throw e;
                });
          }
        });
    return manifests;
  }

  /** No process deletes a manifest, and a repository that was not found may be a fork. */
  private static ManifestException missing(ObjectStore store, String id) {
    return new ManifestException.Corrupt(
        store.location()
            + "/"
            + ObjectNames.manifestKey(id)
            + ": is missing though it was listed; restore it if it was deleted",
        null);
  }
}
