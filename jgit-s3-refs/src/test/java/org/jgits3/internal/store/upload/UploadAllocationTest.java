// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.upload;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jgits3.Stores;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.PartBody;
import org.jgits3.store.UploadOptions;
import org.jgits3.store.UploadedPart;
import org.jgits3.testing.Holds;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests of the memory that a long upload allocates, on its own thread and those that send its
 * parts.
 */
@Holds("S3Uploads, PartBody: A part is sent from its buffers without a copy")
@Timeout(120)
class UploadAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int PART = UploadOptions.MIN_PART_SIZE;
  private static final int PARTS = 6;
  private static final int BUFFERS = 2;

  private final AtomicLong bySenders = new AtomicLong();
  private final AtomicInteger sent = new AtomicInteger();
  private final byte[] bytes = new byte[PARTS * PART];
  private ObjectStore store;
  private PackUploads uploads;

  @BeforeEach
  void open() throws IOException {
    new SplittableRandom(1).nextBytes(bytes);
    S3Server server = S3Servers.require();
    store =
        new DelegatingObjectStore(Stores.open(server.newBucket(), server.options())) {
          @Override
          public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
              throws IOException {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            UploadedPart part = super.uploadPart(upload, number, body);
            bySenders.addAndGet(THREADS.getCurrentThreadAllocatedBytes() - before);
            sent.incrementAndGet();
            return part;
          }
        };
    uploads = new PackUploads(store, new UploadOptions(PART, BUFFERS));
  }

  @AfterEach
  void close() throws IOException {
    if (uploads != null) {
      uploads.close();
      store.close();
    }
  }

  @Test
  void an_upload_takes_its_buffers_and_sends_parts_from_there_without_a_copy() throws IOException {
    upload("first"); // loads classes
    bySenders.set(0);
    sent.set(0);
    long before = THREADS.getCurrentThreadAllocatedBytes();
    upload("second");
    long byWriter = THREADS.getCurrentThreadAllocatedBytes() - before;
    assertThat(sent).hasValue(PARTS);
    assertThat(byWriter + bySenders.get()).isLessThan(BUFFERS * PART + bytes.length / 4);
  }

  private void upload(String key) throws IOException {
    try (PackUpload upload = uploads.begin(key)) {
      upload.write(bytes);
    }
    assertThat(store.stat(key).orElseThrow().size()).isEqualTo(bytes.length);
  }
}
