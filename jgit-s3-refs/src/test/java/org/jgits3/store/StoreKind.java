// SPDX-License-Identifier: Apache-2.0
package org.jgits3.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jgits3.internal.store.file.DirectoryObjectStore;
import org.jgits3.testing.RandomSeed;
import org.jgits3.testing.S3Server;
import org.jgits3.testing.S3Servers;

/** Kind of a store on which the tests of the layers above run. */
public enum StoreKind {
  /** A directory of this machine. */
  DIRECTORY {
    @Override
    public ObjectStore open(Path scratch) throws IOException {
      return new DirectoryObjectStore(scratch);
    }

    @Override
    public Optional<S3Server> server() {
      return Optional.empty();
    }
  },

  /** A bucket of a real S3 server. Its tests are skipped if there is none. */
  BUCKET {
    @Override
    public ObjectStore open(Path scratch) throws IOException {
      S3Server server = S3Servers.require(); // a class that skips a test as it begins fails others
      String prefix = "" + scratch.getFileName();
      return server.open(new StoreLocation.Bucket(SharedBucket.NAME, prefix));
    }

    @Override
    public Optional<S3Server> server() {
      return Optional.of(S3Servers.require());
    }
  };

  private static final class SharedBucket {
    static final String NAME = S3Servers.require().newBucket().bucket();
  }

  /**
   * Opens a store, once more with each call.
   *
   * @param scratch directory of the test; its name is the prefix in the bucket
   * @return the store, to be closed by the caller
   * @throws IOException if it cannot be opened
   */
  public abstract ObjectStore open(Path scratch) throws IOException;

  /**
   * The server of the store.
   *
   * @return empty for a directory
   */
  public abstract Optional<S3Server> server();

  /**
   * Kinds that there are.
   *
   * @return both; a directory alone if there is no server, unless one is required
   */
  public static List<StoreKind> all() {
    return S3Servers.find().isPresent() || Boolean.getBoolean("s3.required")
        ? List.of(BUCKET, DIRECTORY)
        : List.of(DIRECTORY);
  }

  /**
   * Kinds for tests that take long.
   *
   * @return all in full runs; otherwise a bucket if there is a server
   */
  public static List<StoreKind> ofThisRun() {
    return all().stream().limit(RandomSeed.count(1, 2)).toList();
  }
}
