// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.repository;

import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.partitioningBy;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gerrit.server.util.FallbackRequestContext;
import com.google.gerrit.server.util.ManualRequestContext;
import com.google.gerrit.server.util.PluginRequestContext;
import com.google.gerrit.server.util.RequestContext;
import com.google.gerrit.server.util.ServerRequestContext;
import com.google.gerrit.server.util.ThreadLocalRequestContext;
import com.google.inject.Guice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jgits3.gerrit.GerritApi;
import org.jgits3.gerrit.TestSite;
import org.jgits3.store.RequestOutcome;
import org.junit.jupiter.api.Test;

/** Contexts of requests and of tasks, as this Gerrit has them. */
class RequestsTest {
  private static final String GERRIT = "com.google.gerrit.";

  /** Makes its context by a lambda expression, so it stands for the class of that. */
  private static final String INDEXING =
      GERRIT + "server.index.change.ChangeIndexer$AbstractIndexTask";

  private static List<Class<?>> contexts() throws Exception {
    List<Class<?>> found = new ArrayList<>();
    for (String name : GerritApi.mentioning("com/google/gerrit/server/util/RequestContext")) {
      Class<?> type = Class.forName(name, false, RequestsTest.class.getClassLoader());
      if (RequestContext.class.isAssignableFrom(type) && !type.isInterface()) {
        found.add(type);
      }
    }
    found.remove(FallbackRequestContext.class); // is that of no thread
    return found;
  }

  @Test
  void tasks_are_told_from_requests() throws Exception {
    Map<Boolean, Set<String>> byKind =
        contexts().stream()
            .collect(partitioningBy(Requests::isTask, mapping(Class::getName, toSet())));
    assertThat(byKind.get(true))
        .containsExactlyInAnyOrder(
            ServerRequestContext.class.getName(),
            PluginRequestContext.class.getName(),
            GERRIT + "server.change.EmailNewPatchSet$AsyncSender",
            GERRIT + "server.change.EmailReviewComments$AsyncSender",
            GERRIT + "server.submit.EmailMerge",
            GERRIT + "server.util.AttentionSetEmail$AsyncSender");
    assertThat(byKind.get(false))
        .containsExactlyInAnyOrder(
            ManualRequestContext.class.getName(),
            GERRIT + "httpd.HttpRequestContext",
            GERRIT + "sshd.SshScope$Context");
  }

  @Test
  void indexing_is_a_task() throws Exception {
    assertThat(GerritApi.mentioning("setContext")).contains(INDEXING);
    assertThat(Requests.isTask(Class.forName(INDEXING))).isTrue();
  }

  @Test
  void an_answer_that_the_store_does_not_give_may_be_awaited_by_all_requests() {
    Requests requests = new Requests();
    ThreadLocalRequestContext thread =
        Guice.createInjector().getInstance(ThreadLocalRequestContext.class);
    RequestContext context = TestSite.begin(thread);
    GerritRequest first = requests.current().orElseThrow();
    try {
      for (boolean cancelled : new boolean[] {true, false}) {
        TestSite.begin(thread);
        GerritRequest second = requests.current().orElseThrow();
        if (cancelled) {
          Thread.currentThread().interrupt();
        }
        requests.failed(RequestOutcome.UNAVAILABLE);
        assertThat(Thread.interrupted()).isEqualTo(cancelled);
        assertThat(second.hasFailed()).isTrue();
        thread.setContext(context);
        assertThat(requests.current()).containsSame(first);
        assertThat(first.hasFailed()).isEqualTo(!cancelled);
      }
    } finally {
      thread.setContext(null);
    }
  }
}
