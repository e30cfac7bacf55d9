// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.util.ArrayList;
import java.util.List;
import org.jgits3.bench.report.Figure;
import org.jgits3.bench.report.Row;
import org.jgits3.bench.report.Unit;

/**
 * Published figures of a streaming S3 plugin of iRODS with MinIO on an SSD, of the AWS CLI, and of
 * the plugin's mode with a cache file. Another machine: only the ratios compare.
 */
final class PublishedFigures {
  private static final int[] MEGABYTES = {128, 256, 512, 1024, 2048, 4096};

  private record Published(Direction direction, String engine, List<Double> seconds) {}

  private static final List<Published> ALL =
      List.of(
          new Published(
              Direction.UPLOAD, "streaming plugin", List.of(0.83, 1.09, 1.65, 2.88, 5.51, 9.93)),
          new Published(
              Direction.UPLOAD, Tools.AWS_CLI, List.of(1.21, 1.73, 2.96, 5.43, 10.19, 26.48)),
          new Published(
              Direction.UPLOAD, "cache-file plugin", List.of(2.06, 2.88, 5.16, 9.83, 18.66, 53.28)),
          new Published(
              Direction.DOWNLOAD, "streaming plugin", List.of(0.32, 0.37, 1.25, 3.10, 6.06, 13.89)),
          new Published(
              Direction.DOWNLOAD, Tools.AWS_CLI, List.of(1.05, 1.63, 2.72, 5.15, 12.48, 19.36)),
          new Published(
              Direction.DOWNLOAD,
              "cache-file plugin",
              List.of(0.56, 0.76, 1.57, 3.45, 9.05, 16.48)));

  private PublishedFigures() {}

  /**
   * The figures of one direction.
   *
   * @param direction upload or download
   * @return rows of cases of their own
   */
  static List<Row> rows(Direction direction) {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < MEGABYTES.length; i++) {
      for (Published published : ALL) {
        if (published.direction() == direction) {
          rows.add(
              Row.of(
                  String.format(
                      "published (MinIO on SSD, another machine): %s of %d MB",
                      direction.title(), MEGABYTES[i]),
                  published.engine(),
                  Unit.NANOSECONDS,
                  Figure.exactly(published.seconds().get(i) * 1e9)));
        }
      }
    }
    return rows;
  }
}
