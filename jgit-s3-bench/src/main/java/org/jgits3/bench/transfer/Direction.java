// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.transfer;

import java.util.Locale;

/** Direction of a transfer, as the client sees it. */
enum Direction {
  UPLOAD,
  DOWNLOAD;

  String title() {
    return name().toLowerCase(Locale.ROOT);
  }
}
