// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Runs the suite on a small file, to see that it works; its figures mean nothing. */
class TransferSuiteTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  @TempDir private Path directory;
  private SuiteContext context;

  @BeforeEach
  void requireServer() {
    context = SmallestContext.in(directory);
    assumeTrue(
        Files.isExecutable(context.root().resolve("target/tools/versitygw")),
        "no versitygw; etc/test/versitygw installs it");
  }

  @Tag("long") // the rows are tested one by one here
  @Test
  void library_moves_files_and_memory_beside_a_row_for_every_peer() throws Exception {
    SuiteResult result = new TransferSuite().run(SmallestContext.profiled(directory));

    assertThat(result.rows()).noneMatch(Row::failed);
    for (String name : List.of("upload of 16 MB", "download of 16 MB")) {
      assertThat(result.rows().stream().filter(r -> r.name().equals(name)).map(Row::engine))
          .as(name)
          .containsAll(Tools.PEERS);
      assertThat(SuiteResult.median(result.rows(), name, Tools.OURS)).isPresent();
    }
    assertThat(result.headline()).as("of 16 MB nothing is judged").isEmpty();
    assertThat(result.missing()).containsOnlyKeys(TransferFigures.KEYS);
    assertThat(result.rows())
        .filteredOn(row -> row.name().equals("processor time of the server, upload of 16 MB"))
        .extracting(Row::engine)
        .contains(Tools.OURS, Tools.AWS_CLI);
    assertThat(directory.resolve("transfer")).doesNotExist();
    assertThat(SmallestContext.flameGraphs(directory))
        .extracting(name -> name.replaceFirst("-\\d+\\.html$", ""))
        .containsExactlyInAnyOrder("transfer-UPLOAD", "transfer-DOWNLOAD");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void full_disk_is_one_line_with_the_name() {
    assertThatThrownBy(() -> SourceFile.generate(Path.of("/dev/full"), 1))
        .hasMessage("/dev/full cannot be written: No space left on device");
  }

  @Test
  void a_tool_that_fails_or_moves_other_bytes_has_a_row_that_says_so() throws Exception {
    try (S3Session s3 = context.openS3();
        ObjectStore store = s3.endpoint().store(s3.endpoint().bucket(S3Session.SCRATCH))) {
      SourceFile source = SourceFile.generate(directory.resolve("source"), 1);
      Tool failing = tool("failing", "echo no luck; exit 3");
      Tool wrong = tool("wrong", "head -c 1048576 /dev/zero >\"$0\"");

      List<Row> rows =
          new TransferCase(Direction.DOWNLOAD, source, store, Optional::empty, directory, LIMIT)
              .run(List.of(failing, wrong), 1);

      assertThat(rows).allMatch(Row::failed);
      assertThat(rows.get(0).missing()).isEqualTo("ended with 3: no luck");
      assertThat(rows.get(1).missing()).startsWith("moved other content: CRC32C");
    }
  }

  @Test
  void a_tool_that_hangs_is_ended_with_what_it_has_started() throws Exception {
    try (S3Session s3 = context.openS3();
        ObjectStore store = s3.endpoint().store(s3.endpoint().bucket(S3Session.SCRATCH))) {
      SourceFile source = SourceFile.generate(directory.resolve("source"), 1);
      Path pid = directory.resolve("pid");
      Tool hanging = tool("hanging", "sleep 1000 & echo $! >" + pid + "; wait");
      TransferCase measured =
          new TransferCase(
              Direction.DOWNLOAD, source, store, Optional::empty, directory, Duration.ofSeconds(1));

      List<Row> rows = measured.run(List.of(hanging), 3);

      assertThat(rows).allMatch(Row::failed);
      assertThat(rows.get(0).missing()).isEqualTo("did not end within 1 s");
      long child = Long.parseLong(Files.readString(pid).strip());
      ProcessHandle.of(child).ifPresent(left -> left.onExit().orTimeout(1, MINUTES).join());
    }
  }

  @Test
  void a_tool_that_stores_nothing_is_told_from_a_store_that_cannot_be_read() throws Exception {
    try (S3Session s3 = context.openS3()) {
      SourceFile source = SourceFile.generate(directory.resolve("source"), 1);
      Tool idle = tool("idle", "true");
      try (ObjectStore store = s3.endpoint().store(s3.endpoint().bucket(S3Session.SCRATCH))) {
        assertThat(failure(source, idle, store)).isEqualTo("uploaded nothing");
        assertThat(failure(source, idle, unreadable(store)))
            .isEqualTo("ended well, but what it has moved cannot be read for comparison: no luck");
      }
    }
  }

  private static ObjectStore unreadable(ObjectStore store) {
    return (ObjectStore)
        Proxy.newProxyInstance(
            ObjectStore.class.getClassLoader(),
            new Class<?>[] {ObjectStore.class},
            (proxy, method, args) -> {
              if (method.getName().equals("stat")) {
                throw new IOException("no luck");
              }
              return method.invoke(store, args);
            });
  }

  private String failure(SourceFile source, Tool tool, ObjectStore store) throws Exception {
    return new TransferCase(Direction.UPLOAD, source, store, Optional::empty, directory, LIMIT)
        .run(List.of(tool), 1)
        .get(0)
        .missing();
  }

  private static Tool tool(String name, String script) {
    Tool.Command command = (file, key) -> List.of("sh", "-c", script, file.toString());
    return new Tool(name, Optional.empty(), Map.of(), command, command);
  }
}
