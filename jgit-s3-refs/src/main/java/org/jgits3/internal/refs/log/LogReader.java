// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.LogSegment;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.RefChange;
import org.jgits3.manifest.TransactionLog;

/**
 * Follows one ref back through a log of transactions. A segment in which it does not occur costs
 * the request that reads its index.
 */
public final class LogReader {
  private final LogObjects objects;
  private final Manifest manifest;
  private final TransactionLog log;

  public LogReader(LogObjects objects, Manifest manifest) {
    this.objects = objects;
    this.manifest = manifest;
    this.log = manifest.log();
  }

  /** Receives the changes of the ref. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * Takes a change.
     *
     * @param transaction transaction with the change; its list of changes may be incomplete
     * @param change the change
     * @return name under which to look for older changes; empty to stop
     */
    Optional<String> visit(LogEntry transaction, RefChange change);
  }

  /**
   * Visits the changes of a ref, newest first, until the visitor stops.
   *
   * @param ref full name
   * @param visitor receives each change
   * @throws IOException if a needed part of the log cannot be read
   */
  public void backwards(String ref, Visitor visitor) throws IOException {
    new Trail(ref, visitor).follow();
  }

  /** One walk back. */
  private final class Trail {
    private final Visitor visitor;

    /** Name to look for; empty once the visitor has seen enough. */
    private Optional<String> name;

    /** Entries left behind that were not visited yet, oldest first. */
    private final List<LogEntry> leftBehind = new ArrayList<>(log.leftBehind());

    Trail(String ref, Visitor visitor) {
      this.name = Optional.of(ref);
      this.visitor = visitor;
    }

    void follow() throws IOException {
      List<LogEntry> newest = log.newest();
      for (int i = newest.size() - 1; i >= 0 && name.isPresent(); i--) {
        visitTail(newest.get(i));
      }
      List<LogSegment> segments = log.segments();
      for (int i = segments.size() - 1; i >= 0 && name.isPresent(); i--) {
        follow(objects.open(manifest, segments.get(i)));
      }
      visitLeftBehind(0);
    }

    /** Visits entries left behind that are newer than a generation. */
    private void visitLeftBehind(long generation) throws IOException {
      int last = leftBehind.size() - 1;
      while (last >= 0 && name.isPresent() && leftBehind.get(last).generation() > generation) {
        visitTail(leftBehind.remove(last--));
      }
    }

    private void visitTail(LogEntry e) throws IOException {
      visit(
          e,
          e.external().isPresent()
              ? named(objects.open(manifest, e.external().get()))
              : e.changes());
    }

    /** The changes of the name among those of a large transaction. */
    private List<RefChange> named(BlockFileReader file) throws IOException {
      String wanted = name.orElseThrow();
      List<RefChange> found = new ArrayList<>();
      for (int number = 0; number < file.index().blocks().size(); number++) {
        if (!file.index().holds(wanted, number)) {
          continue;
        }
        BlockCursor block = file.block(number);
        while (!block.atEnd()) {
          RefChange c = file.readable(block::change);
          if (c.ref().equals(wanted)) {
            found.add(c);
          }
        }
      }
      return found;
    }

    private void follow(BlockFileReader segment) throws IOException {
      BlockIndex index = segment.index();
      for (int number = index.blocks().size() - 1; number >= 0 && name.isPresent(); number--) {
        if (!index.mentions(name.get(), number)) {
          continue;
        }
        List<LogEntry> entries = entries(segment, number);
        for (int i = entries.size() - 1; i >= 0 && name.isPresent(); i--) {
          LogEntry e = entries.get(i);
          visitLeftBehind(e.generation());
          if (name.isPresent()) {
            visit(e, e.changes());
          }
        }
      }
    }

    private List<LogEntry> entries(BlockFileReader segment, int number) throws IOException {
      BlockCursor block = segment.block(number);
      List<LogEntry> entries = new ArrayList<>();
      while (!block.atEnd()) {
        entries.add(segment.readable(block::entry).entry());
      }
      return entries;
    }

    private void visit(LogEntry e, List<RefChange> changes) {
      String wanted = name.orElseThrow();
      for (int i = changes.size() - 1; i >= 0; i--) {
        if (changes.get(i).ref().equals(wanted)) {
          name = visitor.visit(e, changes.get(i));
          if (!name.equals(Optional.of(wanted))) {
            return; // older transactions have the other name
          }
        }
      }
    }
  }
}
