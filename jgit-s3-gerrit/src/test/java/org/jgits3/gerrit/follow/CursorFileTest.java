// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gerrit.entities.Project;
import com.google.gerrit.server.config.GerritRuntime;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jgits3.gerrit.TestSite;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.jgits3.history.HistoryUnavailableException;
import org.jgits3.history.StoreCursor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The position that a site keeps. */
class CursorFileTest {
  @TempDir Path directory;
  private S3GitRepositoryManager gerrit;
  private CursorFile file;

  @BeforeEach
  void open() throws Exception {
    gerrit = TestSite.below(directory).manager(GerritRuntime.BATCH);
    file = new CursorFile(directory.resolve("position"));
  }

  @AfterEach
  void close() {
    gerrit.stop();
  }

  private StoreCursor position(String project) throws Exception {
    gerrit.createRepository(Project.nameKey(project)).close();
    return gerrit.history().now();
  }

  @Test
  void there_is_no_position_before_one_was_saved() throws Exception {
    assertThat(file.load()).isEmpty();
  }

  @Test
  void the_last_saved_position_is_loaded_and_no_other_file_is_left() throws Exception {
    file.save(position("a"));
    StoreCursor last = position("b");
    file.save(last);
    assertThat(file.load().orElseThrow().toBytes()).isEqualTo(last.toBytes());
    try (var files = Files.list(directory)) {
      assertThat(files.filter(Files::isRegularFile)).hasSize(1);
    }
  }

  @Test
  void a_damaged_position_is_refused() throws Exception {
    file.save(position("a"));
    Path saved = directory.resolve("position");
    byte[] bytes = Files.readAllBytes(saved);
    bytes[bytes.length / 2] ^= 1;
    Files.write(saved, bytes);
    assertThatThrownBy(file::load).isInstanceOf(HistoryUnavailableException.class);
    Files.write(saved, new byte[0]);
    assertThatThrownBy(file::load).isInstanceOf(HistoryUnavailableException.class);
  }
}
