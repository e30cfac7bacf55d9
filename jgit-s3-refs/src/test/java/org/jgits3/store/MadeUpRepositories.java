// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import static org.jgits3.manifest.ManifestCodec.MIN_REPOSITORY_BYTES;
import static org.jgits3.manifest.NamePointer.LEAST_BYTES;

import java.io.IOException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.RepositoryState;
import org.jgits3.manifest.VersionedManifest;

/** A store whose listing of very many repositories is made up by their numbers. */
public final class MadeUpRepositories extends DelegatingObjectStore {
  private final int count;
  private final IntUnaryOperator generation;

  /**
   * Makes up a store.
   *
   * @param count number of repositories
   * @param generation generation of the repository with a number
   */
  public MadeUpRepositories(int count, IntUnaryOperator generation) {
    super(new MemoryObjectStore());
    this.count = count;
    this.generation = generation;
  }

  /**
   * Options of a JVM that works on repositories.
   *
   * @param count number of repositories; a million take long enough for the better compiler
   * @param heap option for its heap
   */
  public static List<String> options(int count, String heap) {
    return List.of(
        heap,
        "-XX:+UseSerialGC",
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:TieredStopAtLevel=" + (count < 1_000_000 ? 1 : 4));
  }

  /** The name of a repository, 35 characters. */
  public static String name(int i) {
    String department = Integer.toString(1000 + i / 10_000).substring(1);
    String number = Integer.toString(10_000_000 + i).substring(1);
    return "departments/" + department + "/repository-" + number;
  }

  /** The id of a repository, sorted by number. */
  public static String id(int i) {
    HexFormat hex = HexFormat.of();
    long mixed = (i + 1) * 0xd1342543de82ef95L;
    return hex.toHexDigits(i) + hex.toHexDigits((int) (mixed >>> 32)) + hex.toHexDigits(mixed);
  }

  /** The number in an id. */
  public static int number(String id) {
    return HexFormat.fromHexDigits(id, 0, 8);
  }

  /** The manifest of the repository with a number. */
  public VersionedManifest manifest(int i) {
    RepositoryState state = new RepositoryState.Active(new RepositoryName(name(i)));
    Manifest manifest =
        Manifest.first(id(i), state, 1, RepositorySettings.NONE, Refs.NONE)
            .committed(generation.applyAsInt(i), state, Collections.emptySortedMap(), 0);
    return new VersionedManifest(manifest, version(i));
  }

  private ObjectVersion version(int i) {
    HexFormat hex = HexFormat.of();
    long mixed = (i + 1) * 0x9e3779b97f4a7c15L + generation.applyAsInt(i);
    return new ObjectVersion('"' + hex.toHexDigits(mixed) + hex.toHexDigits(~mixed) + '"');
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
    Optional<String> id = ObjectNames.repositoryIdOfManifest(key);
    if (id.isEmpty()) {
      return super.get(key, known);
    }
    VersionedManifest manifest = manifest(number(id.get()));
    return new GetResult.Found(ManifestCodec.encode(manifest.manifest()), manifest.version());
  }

  /** Lists manifests or pointers, without the checks of names. */
  @Override
  public void list(String prefix, Consumer<ListedObject> each) throws IOException {
    if (prefix.equals(ObjectNames.MANIFESTS)) {
      list(prefix, i -> ObjectNames.manifestKey(id(i)), MIN_REPOSITORY_BYTES, each);
    } else if (prefix.startsWith(RepositoryName.PREFIX)) {
      list(prefix, i -> RepositoryName.PREFIX + name(i) + ".git", LEAST_BYTES, each);
    } else {
      super.list(prefix, each);
    }
  }

  private void list(
      String prefix, IntFunction<String> keys, int size, Consumer<ListedObject> each) {
    for (int i = 0; i < count; i++) {
      String key = keys.apply(i);
      if (key.startsWith(prefix)) {
        each.accept(new ListedObject(key, size, Optional.of(version(i))));
      }
    }
  }
}
