// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes down what the threads of a process do and are told, in the form that etc/test/history
 * judges. A line is in the file when the method that writes it returns: of a process that is killed
 * all is known but the ends it did not live to see. Safe for use by many threads.
 */
final class Clerk implements Closeable {
  /** Beginning of the names of the files of histories. */
  static final String HISTORY = "history-";

  /** Beginning of the names of the files of acknowledged objects. */
  static final String OBJECTS = "objects-";

  /** Beginning of the names of the files of what must not be. */
  static final String FINDINGS = "findings-";

  /** Beginning of the names of the files of all other operations. */
  static final String WORK = "work-";

  /** Value of a ref that does not exist. */
  static final String MISSING = "-";

  private final String process;
  private final FileChannel history;
  private final FileChannel objects;
  private final FileChannel findings;
  private final FileChannel work;
  private final AtomicLong operations = new AtomicLong();

  private Clerk(Path directory, String process) throws IOException {
    this.process = process;
    this.history = create(directory.resolve(HISTORY + process));
    this.objects = create(directory.resolve(OBJECTS + process));
    this.findings = create(directory.resolve(FINDINGS + process));
    this.work = create(directory.resolve(WORK + process));
  }

  /**
   * Opens the files of a process.
   *
   * @param directory where they are
   * @param process its name, used once
   */
  static Clerk of(Path directory, String process) throws IOException {
    return new Clerk(directory, process);
  }

  private static FileChannel create(Path file) throws IOException {
    return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.APPEND);
  }

  /** Outcomes of a write, as its caller is told. */
  enum Outcome {
    OK,
    REFUSED,
    UNKNOWN
  }

  /** A change of a ref from one value to another. */
  record Change(String name, String old, String now) {
    @Override
    public String toString() {
      return name + "=" + old + ":" + now;
    }
  }

  /** Notes that a write begins now, and returns its name. */
  String beginWrite(String group, List<Change> changes) throws IOException {
    return beginWrite(System.nanoTime(), group, changes);
  }

  /**
   * Notes a write that has begun, and returns its name.
   *
   * @param began when it began, by {@link System#nanoTime}
   */
  String beginWrite(long began, String group, List<Change> changes) throws IOException {
    StringBuilder words = new StringBuilder("write");
    changes.forEach(change -> words.append(' ').append(change));
    return begin(began, group, words.toString());
  }

  private String begin(long time, String group, String words) throws IOException {
    String id = process + "." + operations.incrementAndGet();
    append(history, "begin " + id + " " + time + " " + group + " " + words);
    return id;
  }

  /** Notes that a write ends now. */
  void endWrite(String id, Outcome outcome) throws IOException {
    String word =
        switch (outcome) {
          case OK -> "ok";
          case REFUSED -> "refused";
          case UNKNOWN -> "unknown";
        };
    append(history, "end " + id + " " + System.nanoTime() + " " + word);
  }

  /**
   * Notes a look-up that ends now.
   *
   * @param began when it began, by {@link System#nanoTime}
   * @param values what it found of the refs it asked for
   */
  void read(long began, String group, Map<String, String> values) throws IOException {
    long ended = System.nanoTime();
    StringBuilder answer = new StringBuilder();
    values.forEach((name, value) -> answer.append(' ').append(name).append('=').append(value));
    String id = begin(began, group, "read " + String.join(" ", values.keySet()));
    append(history, "end " + id + " " + ended + " ok" + answer);
  }

  /** Notes an operation that is no look-up and no change of refs. */
  void did(String operation, String result) throws IOException {
    append(work, System.nanoTime() + " " + operation + " " + oneLine(result));
  }

  /** Notes that an object of a repository was acknowledged. */
  void acknowledged(String repositoryId, String object) throws IOException {
    append(objects, repositoryId + " " + object);
  }

  /** Notes what must not be. */
  void found(String what) throws IOException {
    append(findings, System.nanoTime() + " " + oneLine(what));
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\p{Cntrl}+", " ");
  }

  private static void append(FileChannel file, String line) throws IOException {
    ByteBuffer bytes = UTF_8.encode(line + "\n");
    synchronized (file) {
      while (bytes.hasRemaining()) {
        file.write(bytes);
      }
    }
  }

  @Override
  public void close() throws IOException {
    history.close();
    objects.close();
    findings.close();
    work.close();
  }
}
