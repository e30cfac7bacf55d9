// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.bench.server.S3Endpoint;
import org.jgits3.bench.server.S3Session;
import org.jgits3.store.StoreListener;

/** Engines that serve refs. */
enum RefsEngine {
  /** This library on a local directory, each look-up validated. */
  DIRECTORY("directory", Kind.DIRECTORY, ""),
  /** This library on S3, each look-up validated by one conditional request. */
  S3("s3", Kind.S3, ""),
  /** This library on S3 where versions are not trusted: bytes are fetched again. */
  S3_UNTRUSTED("s3-untrusted", Kind.S3, "[s3 \"refs\"]\n\ttrustETag = never\n"),
  /** This library on S3 within the time that a look-up may trust the last validation. */
  S3_WINDOW("s3-window", Kind.S3, "[s3 \"refs\"]\n\tvalidate = 1 hour\n"),
  /** {@code RefDirectory} that does not trust file times. */
  JGIT_NEVER("jgit-never", Kind.REF_DIRECTORY, "never"),
  /** {@code RefDirectory} that trusts file times after it has opened the file. */
  JGIT_AFTER_OPEN("jgit-after_open", Kind.REF_DIRECTORY, "after_open"),
  /** {@code RefDirectory} that trusts file times: JGit's default. */
  JGIT_ALWAYS("jgit-always", Kind.REF_DIRECTORY, "always"),
  /** JGit's reftable on files. */
  JGIT_REFTABLE("jgit-reftable", Kind.REFTABLE, "always"),
  /** See {@link RawCompareRefs}. */
  RAW_COMPARE("raw-compare", Kind.RAW_COMPARE, "never");

  private enum Kind {
    DIRECTORY,
    S3,
    REF_DIRECTORY,
    REFTABLE,
    RAW_COMPARE
  }

  private final String id;
  private final Kind kind;

  /** Config of this library, or value of {@code core.trustStat}. */
  private final String setting;

  RefsEngine(String id, Kind kind, String setting) {
    this.id = id;
    this.kind = kind;
    this.setting = setting;
  }

  /** Name in results. */
  String id() {
    return id;
  }

  static RefsEngine of(String id) {
    return Arrays.stream(values())
        .filter(engine -> engine.id.equals(id))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no engine " + id));
  }

  /** Tests whether it needs a server. */
  boolean onS3() {
    return kind == Kind.S3;
  }

  /**
   * Tests whether changes are measured: engines that change refs as another one does are left out.
   */
  boolean changes() {
    return switch (this) {
      case DIRECTORY, S3, JGIT_NEVER, JGIT_ALWAYS, JGIT_REFTABLE -> true;
      case S3_UNTRUSTED, S3_WINDOW, JGIT_AFTER_OPEN, RAW_COMPARE -> false;
    };
  }

  /**
   * Tests whether opening a repository, and its memory, is measured. Engines that differ from
   * another one only in their validation of known refs are left out.
   */
  boolean differsWhenCold() {
    return switch (this) {
      case DIRECTORY, S3, JGIT_NEVER, JGIT_REFTABLE, RAW_COMPARE -> true;
      case S3_UNTRUSTED, S3_WINDOW, JGIT_AFTER_OPEN, JGIT_ALWAYS -> false;
    };
  }

  /**
   * Generates this engine's data, unless it is there.
   *
   * @param data where
   * @param refs its refs
   * @return whether it had to be generated
   */
  boolean prepare(DataSet data, RefSet refs) throws IOException {
    Path directory = data.directory(id);
    return switch (kind) {
      case DIRECTORY -> data.prepare(id, directory, () -> generate(data, refs));
      case S3 -> {
        if (endpoint().own()) {
          yield data.prepare(
              "s3", data.buckets().resolve(data.bucket()), () -> generate(data, refs));
        }
        if (this == S3) { // the others have the same bucket
          generate(data, refs);
        }
        yield this == S3;
      }
      case REF_DIRECTORY, RAW_COMPARE ->
          data.prepare(id, directory, () -> FileRefs.generate(directory, refs, setting));
      case REFTABLE ->
          data.prepare(id, directory, () -> FileRefs.generateReftable(directory, refs, setting));
    };
  }

  private void generate(DataSet data, RefSet refs) throws IOException {
    try (LibraryRefs library = library(data)) {
      library.generate(refs);
    }
  }

  /** Opens the data that {@link #prepare} has generated, to look up refs. */
  RefSource source(DataSet data) throws IOException {
    return switch (kind) {
      case DIRECTORY, S3 -> library(data);
      case REF_DIRECTORY, REFTABLE -> () -> new RepositoryRefs(FileRefs.open(data.directory(id)));
      case RAW_COMPARE -> () -> new RawCompareRefs(data.directory(id));
    };
  }

  /** Opens the store that has the data of this engine, which is one of the library. */
  LibraryRefs library(DataSet data) throws IOException {
    return LibraryRefs.open(
        kind == Kind.S3
            ? endpoint().config(data.bucket()) + setting
            : directory(data.directory(id)));
  }

  /**
   * Opens a store of this engine, which is one of the library, for what does not outlive the run.
   */
  LibraryRefs scratchLibrary(DataSet data) throws IOException {
    return LibraryRefs.open(scratchConfig(data));
  }

  /** The same, with a listener that is told of each request. */
  LibraryRefs scratchLibrary(DataSet data, StoreListener listener) throws IOException {
    return LibraryRefs.open(scratchConfig(data), listener);
  }

  private String scratchConfig(DataSet data) throws IOException {
    return kind == Kind.S3
        ? endpoint().config(S3Session.SCRATCH) + setting
        : directory(data.scratch().resolve(id));
  }

  private static String directory(Path path) {
    return "[s3]\n\tstore = \"file:" + path + "\"\n";
  }

  private static S3Endpoint endpoint() throws IOException {
    return S3Endpoint.ofThisJvm().orElseThrow(() -> new IOException("no S3 server was started"));
  }

  /** Makes a copy of the data that can be changed, and does not outlive the run. */
  Repository scratch(DataSet data) throws IOException {
    String name = scratchName();
    if (kind == Kind.DIRECTORY || kind == Kind.S3) {
      LibraryRefs library = scratchLibrary(data);
      return library.create(name, data.set());
    }
    Path copy = data.scratch().resolve(name);
    FileRefs.copy(data.directory(id), copy);
    return FileRefs.open(copy);
  }

  /** A name that nothing else has in this run. */
  static String scratchName() {
    return "r" + ProcessHandle.current().pid() + "-" + System.nanoTime();
  }
}
