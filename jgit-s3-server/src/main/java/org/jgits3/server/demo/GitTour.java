// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.demo;

import java.io.IOException;
import java.nio.file.Path;

/** Part of the tour that uses git: push, clone, push again, fetch, and a check of all results. */
final class GitTour {
  private static final String EVERYTHING = "+refs/*:refs/*";

  private final Tour tour;
  private final ScratchDirectory scratch;
  private final String url;
  private final Git work;

  GitTour(Tour tour, ScratchDirectory scratch, String url) throws IOException {
    this.tour = tour;
    this.scratch = scratch;
    this.url = url;
    this.work = new Git(scratch.resolve("work"), scratch.path());
  }

  void take() throws IOException, InterruptedException {
    tour.step("make a history of " + History.COMMITS + " commits", this::makeHistory);
    tour.step("git push", () -> work.run("push", "-q", url, EVERYTHING));
    Git top = new Git(scratch.path(), scratch.path());
    tour.step("git clone", () -> top.run("clone", "-q", "--mirror", url, "clone.git"));
    Git clone = new Git(scratch.resolve("clone.git"), scratch.path());
    tour.step("git push, one commit more", this::pushOneMore);
    tour.step("git fetch", () -> clone.run("fetch", "-q"));
    tour.step("git fetch, nothing new", () -> clone.run("fetch", "-q"));
    tour.step("git fsck --full --strict", () -> clone.run("fsck", "--full", "--strict"));
    tour.step("compare the refs of both sides", () -> compare(clone));
  }

  private void makeHistory() throws IOException, InterruptedException {
    Path stream = scratch.resolve("history");
    History.write(stream);
    work.run("init", "-q", "--initial-branch=main");
    work.feed(stream.toFile(), "fast-import", "--quiet", "--done");
    work.run("reset", "-q", "--hard");
  }

  private void pushOneMore() throws IOException, InterruptedException {
    work.run("commit", "-q", "--allow-empty", "-m", "One more");
    work.run("push", "-q", url, "main");
  }

  private void compare(Git clone) throws IOException, InterruptedException {
    String ours = work.run("for-each-ref");
    Tour.check(!ours.isEmpty(), "the history has no refs");
    Tour.check(ours.equals(clone.run("for-each-ref")), "the clone has other refs than its origin");
  }
}
