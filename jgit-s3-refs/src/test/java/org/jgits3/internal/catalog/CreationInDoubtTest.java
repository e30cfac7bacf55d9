// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.catalog;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.commit.ManifestFixture;
import org.jgits3.internal.commit.ManifestReads;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.commit.ScriptedStore;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.commit.VirtualTime;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.StoreException;
import org.junit.jupiter.api.Test;

/** Creations whose outcome cannot be told. */
class CreationInDoubtTest {
  private final ScriptedStore store = new ScriptedStore();
  private final RepositoryCatalog catalog =
      new RepositoryCatalog(
          store, Duration.ofSeconds(20), new VirtualTime(), new SplittableRandom(1));

  @Test
  void a_creation_in_doubt_is_unknown_if_its_manifest_cannot_be_read() {
    store.nextPut(ScriptedStore.PutRequest::apply); // the pointer
    store.loseAnswer();
    store.everyGet(
        get -> {
          throw new StoreException.Unavailable("manifest", "no answer", null);
        });
    assertThatThrownBy(
            () -> catalog.create(name("r"), RepositorySettings.NONE, ManifestFixture.HEAD))
        .isInstanceOf(UnknownOutcomeException.class);
  }

  @Test
  void a_fork_without_its_template_is_unknown_if_others_have_renamed_it() throws IOException {
    VersionedManifest template = template("t");
    store.nextGet(
        get -> { // the second look at the template
          catalog.delete(Optional.empty(), name("t"), any -> {});
          catalog.rename(Optional.empty(), name("r"), name("s"));
          return get.read();
        });
    assertThatThrownBy(() -> catalog.fork(name("r"), template, ManifestReads.VALIDATED))
        .isInstanceOf(UnknownOutcomeException.class);
  }

  private VersionedManifest template(String name) throws IOException {
    String id =
        catalog
            .createImport(true, RepositorySettings.NONE, ManifestFixture.HEAD)
            .manifest()
            .repositoryId();
    ManifestCommitter committer =
        new ManifestCommitter(
            new ManifestFile(store, id, Optional.empty()), ManifestCommitter.DEADLINE);
    committer.<Boolean>commit(
        base ->
            Proposal.edit(
                base.withTemplate(Optional.of(new Manifest.Template(id, base.generation()))),
                true));
    catalog.publish(id, name(name));
    return StoredManifest.readVersioned(store, name);
  }

  private static RepositoryName name(String text) {
    return RepositoryName.of(text);
  }
}
