// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCodec;
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

  /** A name of 35 characters, sorted by number. */
  public static String name(int i) {
    String department = Integer.toString(1000 + i / 10_000).substring(1);
    String number = Integer.toString(10_000_000 + i).substring(1);
    return "departments/" + department + "/repository-" + number;
  }

  /** The number in a name. */
  public static int number(String name) {
    return Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
  }

  /** The manifest of the repository with a number. */
  public VersionedManifest manifest(int i) {
    HexFormat hex = HexFormat.of();
    String id = hex.toHexDigits((i + 1) * 0xd1342543de82ef95L) + hex.toHexDigits((long) i);
    Manifest manifest =
        Manifest.blank(
            id,
            RepositoryState.ACTIVE,
            generation.applyAsInt(i),
            0,
            RepositorySettings.NONE,
            Refs.NONE);
    return new VersionedManifest(manifest, version(i));
  }

  private ObjectVersion version(int i) {
    HexFormat hex = HexFormat.of();
    long mixed = (i + 1) * 0x9e3779b97f4a7c15L + generation.applyAsInt(i);
    return new ObjectVersion('"' + hex.toHexDigits(mixed) + hex.toHexDigits(~mixed) + '"');
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
    Optional<RepositoryName> name = RepositoryName.fromManifestKey(key);
    if (name.isEmpty()) {
      return super.get(key, known);
    }
    VersionedManifest manifest = manifest(number(name.get().value()));
    return new GetResult.Found(
        ManifestCodec.encode(name.get(), manifest.manifest()), manifest.version());
  }

  @Override
  public void list(String prefix, Consumer<ListedObject> each) {
    for (int i = 0; i < count; i++) {
      String key = "repos/" + name(i) + ".git/manifest"; // without the checks of names
      each.accept(
          new ListedObject(key, ManifestCodec.MIN_REPOSITORY_BYTES, Optional.of(version(i))));
    }
  }
}
