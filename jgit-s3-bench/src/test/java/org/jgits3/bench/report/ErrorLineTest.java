// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import org.junit.jupiter.api.Test;

class ErrorLineTest {
  @Test
  void file_alone_is_no_explanation() {
    assertThat(ErrorLine.of(new AccessDeniedException("/a"))).isEqualTo("/a: access denied");
    assertThat(ErrorLine.of(new DirectoryNotEmptyException("/a")))
        .isEqualTo("/a: directory not empty");
    assertThat(ErrorLine.of(new FileSystemException("/a", null, "Read-only file system")))
        .isEqualTo("/a: Read-only file system");
  }

  @Test
  void message_is_one_line() {
    assertThat(ErrorLine.of(new IOException("a\r\n\tb\n"))).isEqualTo("a b");
    assertThat(ErrorLine.of(new IllegalStateException())).isEqualTo("IllegalStateException");
  }
}
