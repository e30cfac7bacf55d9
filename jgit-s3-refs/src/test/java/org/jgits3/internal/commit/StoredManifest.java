// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestCodec;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RefSnapshot;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.StoredObject;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.Crc32c;
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

  /**
   * Stores a delta beside each table of refs, and commits a manifest that lists it, as earlier
   * versions did in the commit of the table.
   *
   * @return keys of the deltas, as {@link Refs#levels}
   */
  public static List<String> addDeltas(ObjectStore store, String repository) throws IOException {
    Manifest manifest = read(store, repository);
    for (RefSnapshot level : manifest.refs().levels()) {
      byte[] delta = delta(level);
      store.put(ObjectNames.deltaKey(manifest.repositoryId(), level.id()), delta, 0, delta.length);
    }
    try (ManifestCommitter committer =
        new ManifestCommitter(store, RepositoryName.of(repository), CommitPolicy.DEFAULT)) {
      committer.<Boolean>commit(
          base -> Proposal.edit(base.withRefs(withDeltas(base.refs())), true));
    }
    return manifest.refs().levels().stream()
        .map(level -> ObjectNames.deltaKey(manifest.repositoryId(), level.id()))
        .toList();
  }

  private static Refs withDeltas(Refs refs) {
    return new Refs(
        refs.snapshot().map(StoredManifest::withDelta),
        refs.recent().map(StoredManifest::withDelta),
        refs.overlay(),
        refs.symrefs());
  }

  private static RefSnapshot withDelta(RefSnapshot level) {
    byte[] delta = delta(level);
    return new RefSnapshot(
        level.id(),
        level.size(),
        level.count(),
        level.crc32c(),
        level.sha256(),
        Optional.of(new StoredObject(level.id(), delta.length, Crc32c.of(delta))));
  }

  /** A delta with one deleted ref, of a table before that has any id. */
  private static byte[] delta(RefSnapshot level) {
    return ("# jgit-s3 refs delta of " + level.id() + "\n- refs/heads/gone\n").getBytes(US_ASCII);
  }

  private static GetResult.Found found(ObjectStore store, String key) throws IOException {
    return (GetResult.Found) store.get(key, Optional.empty());
  }
}
