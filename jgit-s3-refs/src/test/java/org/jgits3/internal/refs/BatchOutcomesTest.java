// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.transport.PushCertificate;
import org.eclipse.jgit.transport.PushCertificateParser;
import org.eclipse.jgit.transport.PushCertificateStore;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.store.FaultInjectingObjectStore;
import org.jgits3.store.FaultInjectingObjectStore.Fault;
import org.jgits3.store.RequestKind;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of batches with commands of unknown outcome, and of commands that a batch leaves alone. */
@Timeout(300)
class BatchOutcomesTest {
  private static final String MASTER = "refs/heads/master";
  private static final String OTHER = "refs/heads/other";

  @TempDir Path directory;

  private FaultInjectingObjectStore store;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository repository;
  private ObjectId commit;

  @BeforeEach
  void create() throws Exception {
    store = new FaultInjectingObjectStore(new DirectoryObjectStore(directory), 1, 0);
    manager = TestRepositories.manager(store);
    repository = manager.createRepository("r");
    commit = TestRepositories.commit(repository, "first");
  }

  private BatchRefUpdate batch(S3Repository r, boolean atomic) {
    BatchRefUpdate batch = r.getRefDatabase().newBatchUpdate();
    batch.setAtomic(atomic);
    for (String name : new String[] {MASTER, OTHER}) {
      batch.addCommand(new ReceiveCommand(ObjectId.zeroId(), commit, name));
    }
    return batch;
  }

  private void execute(BatchRefUpdate batch) throws Exception {
    TestRepositories.execute(repository, batch);
  }

  @Test
  void commands_whose_write_is_in_doubt_are_neither_done_nor_refused() throws Exception {
    try (S3RepositoryManager hasty =
            TestRepositories.manager(store, "[s3]\ncommitDeadline = 300 ms");
        S3Repository doubtful = hasty.openRepository("r")) {
      for (boolean atomic : new boolean[] {true, false}) {
        Fault[] faults = new Fault[1000];
        Arrays.fill(faults, Fault.FAIL_BEFORE);
        store.script(RequestKind.PUT_IF, faults);
        BatchRefUpdate batch = batch(doubtful, atomic);
        execute(batch);

        for (ReceiveCommand command : batch.getCommands()) {
          assertThat(command.getResult()).isEqualTo(ReceiveCommand.Result.REJECTED_OTHER_REASON);
          assertThat(command.getMessage()).isEqualTo("outcome unknown; fetch before retrying");
        }
        assertThat(repository.getRefDatabase().getRefsByPrefix("refs/")).isEmpty();
      }
    }
  }

  @Test
  void a_push_certificate_is_left_to_the_caller_to_store() throws Exception {
    String text =
        String.join(
            "\n",
            "certificate version 0.1",
            "pusher A U Thor <author@example.com> 1433954361 -0700",
            "pushee git://localhost/r.git",
            "nonce 1433954361-bde756572d665bba81d8",
            "",
            ObjectId.zeroId().name() + " " + commit.name() + " " + MASTER,
            "-----BEGIN PGP SIGNATURE-----",
            "Version: GnuPG v1",
            "",
            "iQEcBAABAgAGBQJVeGg5AAoJEPfTicJkUdPkUggH/RKAeI9/i/LduuiqrL/SSdIa",
            "-----END PGP SIGNATURE-----",
            "");
    PushCertificate certificate = PushCertificateParser.fromString(text);
    BatchRefUpdate batch = batch(repository, true);
    batch.setPushCertificate(certificate);
    execute(batch);

    TestRepositories.assertAllOk(batch);
    assertThat(repository.getRefDatabase().getRefsByPrefix("refs/meta/")).isEmpty();

    try (PushCertificateStore certificates = new PushCertificateStore(repository)) {
      certificates.put(certificate, TestRepositories.WHO);
      assertThat(certificates.save()).isEqualTo(RefUpdate.Result.NEW);
    }
    try (PushCertificateStore certificates = new PushCertificateStore(repository)) {
      assertThat(certificates.get(MASTER).toTextWithSignature().getBytes(US_ASCII))
          .isEqualTo(text.getBytes(US_ASCII));
    }
  }
}
