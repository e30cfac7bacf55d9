// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jgit.util.FileUtils;
import org.jgits3.bench.Effort;
import org.jgits3.bench.Suite;
import org.jgits3.bench.SuiteContext;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.SuiteResult;
import org.jgits3.bench.server.S3Session;
import org.jgits3.store.ObjectStore;

/**
 * Uploads and downloads of large files beside other tools: whole processes, start-up included, on
 * the same server and the same files. What the library needs without its start-up, from and to
 * memory, and what the server gives to a client that does nothing else, is told beside.
 */
public final class TransferSuite implements Suite {
  private static final String UPLOAD_VS_AWSCLI = "upload_vs_awscli";
  private static final String DOWNLOAD_VS_AWSCLI = "download_vs_awscli";
  private static final String UPLOAD_VS_BEST_PEER = "upload_vs_best_peer";
  private static final String DOWNLOAD_VS_BEST_PEER = "download_vs_best_peer";

  private static final int[] MEGABYTES = {128, 256, 512, 1024, 2048, 4096};
  private static final int[] MEGABYTES_IF_QUICK = {128, 512, 1024};
  private static final int SMALLEST = 16;

  @Override
  public String name() {
    return "transfer";
  }

  @Override
  public List<String> headlineKeys() {
    return List.of(
        UPLOAD_VS_AWSCLI, DOWNLOAD_VS_AWSCLI, UPLOAD_VS_BEST_PEER, DOWNLOAD_VS_BEST_PEER);
  }

  @Override
  public SuiteResult run(SuiteContext context) throws IOException, InterruptedException {
    if (context.effort() != Effort.SMALLEST) {
      installPeers(context);
    }
    Path directory = context.data().resolve("transfer");
    removeScratch(directory);
    Files.createDirectories(directory);
    try (S3Session s3 = context.openS3();
        ObjectStore store = LibraryStore.open(s3.endpoint(), S3Session.SCRATCH)) {
      Path programs = context.root().resolve("target/tools");
      Tools tools =
          new Tools(programs, directory, s3.endpoint(), what -> context.profilerOptions(what));
      return measure(context, tools.all(), store, directory);
    } finally {
      removeScratch(directory);
    }
  }

  private static void removeScratch(Path directory) throws IOException {
    FileUtils.delete(directory.toFile(), FileUtils.RECURSIVE | FileUtils.SKIP_MISSING);
  }

  /** What cannot be installed is missing in the results, and the installer says why. */
  private static void installPeers(SuiteContext context) throws IOException, InterruptedException {
    Path installer = context.root().resolve("etc/bench/peers").toAbsolutePath();
    Process process =
        new ProcessBuilder(installer.toString())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      process.waitFor();
    } finally {
      process.destroy();
    }
  }

  private static SuiteResult measure(
      SuiteContext context, List<Tool> tools, ObjectStore store, Path directory)
      throws IOException, InterruptedException {
    List<Integer> sizes = sizes(context);
    int rounds = rounds(context.effort());
    context.progress().expect(sizes.size() * Direction.values().length);
    List<Row> rows = new ArrayList<>();
    for (int megabytes : sizes) {
      SourceFile source = SourceFile.generate(directory.resolve("source"), megabytes);
      for (Direction direction : Direction.values()) {
        context.progress().begin(TransferCase.title(direction, megabytes));
        if (direction == Direction.DOWNLOAD) {
          store.delete(List.of("uploaded"));
          SourceObject.upload(store, "source", source);
        }
        rows.addAll(new TransferCase(direction, source, store, directory).run(tools, rounds));
      }
      store.delete(List.of("source"));
      Files.delete(source.path());
    }
    int largest = sizes.get(sizes.size() - 1);
    Map<String, Optional<Double>> headline = headline(rows, largest);
    for (Direction direction : Direction.values()) {
      rows.addAll(PublishedFigures.rows(direction, largest));
    }
    return SuiteResult.of("transfer", headline, rows, Tools.AWS_CLI);
  }

  private static List<Integer> sizes(SuiteContext context) {
    if (context.effort() == Effort.SMALLEST) {
      return List.of(SMALLEST);
    }
    int most = context.maxMegabytes();
    int[] all = context.quick() ? MEGABYTES_IF_QUICK : MEGABYTES;
    List<Integer> sizes = Arrays.stream(all).filter(size -> size <= most).boxed().toList();
    return sizes.isEmpty() ? List.of(most) : sizes;
  }

  private static int rounds(Effort effort) {
    return switch (effort) {
      case SMALLEST -> 1;
      case QUICK -> 2;
      case FULL -> 6;
    };
  }

  private static Map<String, Optional<Double>> headline(List<Row> rows, int largest) {
    String upload = TransferCase.title(Direction.UPLOAD, largest);
    String download = TransferCase.title(Direction.DOWNLOAD, largest);
    Map<String, Optional<Double>> headline = new LinkedHashMap<>();
    headline.put(UPLOAD_VS_AWSCLI, ratio(rows, upload, List.of(Tools.AWS_CLI)));
    headline.put(DOWNLOAD_VS_AWSCLI, ratio(rows, download, List.of(Tools.AWS_CLI)));
    headline.put(UPLOAD_VS_BEST_PEER, ratio(rows, upload, Tools.PEERS));
    headline.put(DOWNLOAD_VS_BEST_PEER, ratio(rows, download, Tools.PEERS));
    return headline;
  }

  /** How many times faster than the fastest of some. */
  private static Optional<Double> ratio(List<Row> rows, String name, List<String> peers) {
    Optional<Double> ours = SuiteResult.median(rows, name, Tools.OURS);
    return peers.stream()
        .flatMap(peer -> SuiteResult.median(rows, name, peer).stream())
        .min(Double::compare)
        .flatMap(best -> ours.map(own -> best / own));
  }
}
