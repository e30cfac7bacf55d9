// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.read;

import static org.assertj.core.api.Assertions.assertThat;

import org.jgits3.internal.store.upload.FullHeapProcess;
import org.jgits3.testing.FullHeap;
import org.jgits3.testing.FullHeap.FillsTheHeap;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.Test;

/** Tests of waiting threads when the heap was full while another one cleaned up. */
@Holds(
    "SharedRequest, ManifestCommitter, ManifestFile: A request, commit or listener that fails "
        + "in a full heap leaves no thread waiting, and does not block the next")
@Holds(
    "PartBuffers, PartsInFlight, PackUpload: No part buffer or count of parts is lost: each is "
        + "given back exactly once, after the last attempt to send it, even in a full heap or after a "
        + "cancelled collection")
@Holds(
    "ReadThreads, ParallelRequests: A read continues in the caller's thread if no other is "
        + "available")
@FillsTheHeap
class FullHeapTest {
  private static String run(String what) throws Exception {
    return FullHeap.run(FullHeapProcess.class, what);
  }

  @Test
  void a_call_that_waited_for_a_failed_request_asks_again() throws Exception {
    assertThat(run("request").lines()).containsExactly("up", "up");
  }

  @Test
  void buffers_are_given_back_and_handed_to_waiting_threads() throws Exception {
    assertThat(run("buffers")).isEqualTo("0 in use");
  }

  @Test
  void an_upload_that_is_given_up_lets_others_have_its_memory() throws Exception {
    assertThat(run("upload")).isEqualTo("3 parts, 0 in use");
  }

  @Test
  void a_read_needs_no_thread_but_that_of_the_caller() throws Exception {
    assertThat(run("gang")).isEqualTo(3 + ParallelRequests.SIZE + " done");
  }
}
