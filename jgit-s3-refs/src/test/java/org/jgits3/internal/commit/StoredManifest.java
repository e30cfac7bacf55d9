// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.NamePointer;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.metrics.Counters;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;

/** A manifest as it is in a store, which tests look at and damage. */
public final class StoredManifest {
  private StoredManifest() {}

  /** Key of the manifest of the repository that a name leads to. */
  public static String key(ObjectStore store, String repository) throws IOException {
    String pointer = RepositoryName.of(repository).pointerKey();
    NamePointer.Target target =
        NamePointer.decode(pointer, found(store, pointer).bytes()).target().orElseThrow();
    return ObjectNames.manifestKey(target.repositoryId());
  }

  /** The manifest of the repository that a name leads to. */
  public static ManifestFile file(ObjectStore store, RepositoryName name) {
    return new ManifestFile(store, Optional.of(name), null, true, new Counters());
  }

  /** A committer of the repository that a name leads to. */
  public static ManifestCommitter committer(
      ObjectStore store, RepositoryName name, Duration deadline) {
    return new ManifestCommitter(file(store, name), deadline);
  }

  /** A committer of the repository that a name leads to. */
  public static ManifestCommitter committer(
      ObjectStore store,
      RepositoryName name,
      Duration deadline,
      boolean trusted,
      Counters counters) {
    return new ManifestCommitter(
        new ManifestFile(store, Optional.of(name), null, trusted, counters), deadline);
  }

  /** The manifest of a repository. */
  public static Manifest read(ObjectStore store, String repository) throws IOException {
    return readVersioned(store, repository).manifest();
  }

  /** The manifest of a name, with its version. */
  public static VersionedManifest readVersioned(ObjectStore store, String name) throws IOException {
    String key = key(store, name);
    GetResult.Found found = found(store, key);
    return new VersionedManifest(ManifestCodec.decode(key, found.bytes()), found.version());
  }

  /** The id of the repository that a look-up by a name finds. */
  public static Optional<String> holder(ObjectStore store, RepositoryName name) throws IOException {
    try (ManifestCommitter committer = committer(store, name, ManifestCommitter.DEADLINE)) {
      return Optional.of(committer.validate().manifest().repositoryId());
    } catch (ManifestException.Gone none) {
      return Optional.empty();
    }
  }

  /** Replaces the manifest of a repository by one of the same generation. */
  public static void rewrite(ObjectStore store, String repository, UnaryOperator<Manifest> edit)
      throws IOException {
    String key = key(store, repository);
    GetResult.Found found = found(store, key);
    byte[] body = ManifestCodec.encode(edit.apply(ManifestCodec.decode(key, found.bytes())));
    assertThat(store.putIf(key, body, Precondition.matches(found.version())))
        .isInstanceOf(PutOutcome.Won.class);
  }

  private static GetResult.Found found(ObjectStore store, String key) throws IOException {
    return (GetResult.Found) store.get(key, Optional.empty());
  }
}
