// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.GetResult;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;

/** A manifest as it is in a store, which tests look at and damage. */
public final class StoredManifest {
  private StoredManifest() {}

  /** The manifest of a repository. */
  public static Manifest read(ObjectStore store, String repository) throws IOException {
    String key = RepositoryName.of(repository).manifestKey();
    return ManifestCodec.decode(key, found(store, key).bytes());
  }

  /** The manifest of a name, with its version. */
  public static VersionedManifest readVersioned(ObjectStore store, String name) throws IOException {
    String key = RepositoryName.of(name).manifestKey();
    GetResult.Found found = found(store, key);
    return new VersionedManifest(ManifestCodec.decode(key, found.bytes()), found.version());
  }

  /** Replaces the manifest of a repository by one of the same generation. */
  public static void rewrite(ObjectStore store, String repository, UnaryOperator<Manifest> edit)
      throws IOException {
    RepositoryName name = RepositoryName.of(repository);
    String key = name.manifestKey();
    GetResult.Found found = found(store, key);
    byte[] body = ManifestCodec.encode(name, edit.apply(ManifestCodec.decode(key, found.bytes())));
    assertThat(store.putIf(key, body, Precondition.matches(found.version())))
        .isInstanceOf(PutOutcome.Won.class);
  }

  private static GetResult.Found found(ObjectStore store, String key) throws IOException {
    return (GetResult.Found) store.get(key, Optional.empty());
  }
}
