// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.transport.Daemon;
import org.eclipse.jgit.transport.DaemonClient;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.StagedStore;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A rename by another process, seen by a server that knows the repository and by a new one. */
@Holds("Bind: A repository can be read at each moment of its rename (E-p1 to E-p22)")
@Timeout(120) // threads wait for each other
class RenameReadsTest {
  private static final String OLD = "team/old";
  private static final String NEW = "new";

  @TempDir Path scratch;
  private final MemoryObjectStore store = new MemoryObjectStore();
  private S3RepositoryManager warm;
  private Daemon daemon;
  private GitClient git;
  private ObjectId main;
  private int clones;

  @BeforeEach
  void serve() throws Exception {
    git = GitClient.in(scratch);
    warm = TestRepositories.manager(store);
    try (S3Repository r = warm.createRepository(OLD)) {
      main = TestRepositories.commit(r, "first");
      assertThat(TestRepositories.update(r, "refs/heads/main", main))
          .isEqualTo(RefUpdate.Result.NEW);
    }
    daemon = new Daemon(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    daemon.setRepositoryResolver(warm.<DaemonClient>asResolver());
    daemon.start();
  }

  @AfterEach
  void stop() throws Exception {
    daemon.stopAndWait();
    warm.close();
  }

  @Test
  void repository_is_read_by_one_of_two_names_at_each_write_of_a_rename() throws Exception {
    List<String> names = new ArrayList<>();
    StagedStore staged = new StagedStore(store);
    watchNextWrite(staged, names);
    new RepositoryCatalog(staged, Duration.ofMinutes(1))
        .rename(Optional.empty(), RepositoryName.of(OLD), RepositoryName.of(NEW));
    names.add(nameThatIsRead());
    int renamed = names.indexOf(NEW);
    assertThat(names.subList(0, renamed)).isNotEmpty().containsOnly(OLD);
    assertThat(names.subList(renamed, names.size())).containsOnly(NEW);
  }

  private void watchNextWrite(StagedStore staged, List<String> names) {
    staged.beforeWrite(
        () -> {
          names.add(nameThatIsRead());
          watchNextWrite(staged, names);
        });
  }

  /** The name by which the repository can be opened, listed and cloned; the other one cannot. */
  private String nameThatIsRead() throws Exception {
    try (S3RepositoryManager cold = TestRepositories.manager(store)) {
      String name = opens(warm, OLD) ? OLD : NEW;
      String other = name.equals(OLD) ? NEW : OLD;
      assertThat(List.of(opens(warm, name), opens(cold, name))).containsOnly(true);
      assertThat(List.of(opens(warm, other), opens(cold, other))).containsOnly(false);
      assertThat(cold.list()).contains(name);
      String copy = "copy" + clones++;
      git.run("clone", "-q", url(name), copy);
      assertThat(git.at(copy).run("rev-parse", "HEAD").strip()).isEqualTo(main.name());
      return name;
    }
  }

  private String url(String name) {
    return "git://127.0.0.1:" + daemon.getAddress().getPort() + "/" + name;
  }

  private static boolean opens(S3RepositoryManager manager, String name) throws IOException {
    try (S3Repository r = manager.openRepository(name, Purpose.request())) {
      return r.exactRef("refs/heads/main") != null;
    } catch (RepositoryNotFoundException e) {
      return false;
    }
  }
}
