// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jgits3.bench.SmallestContext;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.server.S3Session;
import org.jgits3.store.ObjectStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the suite on a small file, to see that it works; its figures mean nothing. */
class TransferSuiteTest {
  @TempDir private Path directory;
  private SuiteContext context;

  @BeforeEach
  void requireServer() {
    context = SmallestContext.in(directory);
    assumeTrue(
        Files.isExecutable(context.root().resolve("target/tools/versitygw")),
        "no versitygw; etc/test/versitygw installs it");
  }

  @Test
  void the_library_moves_files_and_memory_and_every_peer_has_a_row() throws Exception {
    SuiteResult result = new TransferSuite().run(context);

    assertThat(result.rows()).noneMatch(Row::failed);
    for (String name : List.of("upload of 16 MB", "download of 16 MB")) {
      assertThat(result.rows().stream().filter(r -> r.name().equals(name)).map(Row::engine))
          .as(name)
          .containsAll(Tools.PEERS);
      for (String engine :
          List.of(
              Tools.OURS,
              Tools.OURS + ", without start-up",
              "jgit-s3, memory, without start-up",
              "raw client, without start-up")) {
        assertThat(SuiteResult.median(result.rows(), name, engine)).as(engine).isPresent();
      }
    }
    assertThat(directory.resolve("transfer")).doesNotExist();
  }

  @Test
  void a_tool_that_fails_or_moves_other_bytes_has_a_row_that_says_so() throws Exception {
    try (S3Session s3 = context.openS3();
        ObjectStore store = LibraryStore.open(s3.endpoint(), S3Session.SCRATCH)) {
      SourceFile source = SourceFile.generate(directory.resolve("source"), 1);
      Tool failing = tool("failing", "echo no luck; exit 3");
      Tool wrong = tool("wrong", "head -c 1048576 /dev/zero >\"$0\"");

      List<Row> rows =
          new TransferCase(Direction.DOWNLOAD, source, store, directory)
              .run(List.of(failing, wrong), 1);

      assertThat(rows).allMatch(Row::failed);
      assertThat(rows.get(0).missing()).isEqualTo("ended with 3: no luck");
      assertThat(rows.get(1).missing()).startsWith("moved other content: CRC32C");
    }
  }

  private static Tool tool(String name, String script) {
    Tool.Command command = (file, key) -> List.of("sh", "-c", script, file.toString());
    return new Tool(name, true, Optional.empty(), Map.of(), command, command);
  }
}
