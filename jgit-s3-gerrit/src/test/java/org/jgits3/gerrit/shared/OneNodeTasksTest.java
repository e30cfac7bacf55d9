// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gerrit.server.config.GerritRuntime;
import com.google.gerrit.server.git.GarbageCollection;
import com.google.gerrit.server.git.GarbageCollectionRunner;
import com.google.gerrit.server.git.GitRepositoryManager;
import com.google.gerrit.server.project.ProjectCache;
import com.google.inject.AbstractModule;
import com.google.inject.Injector;
import com.google.inject.spi.Elements;
import com.google.inject.spi.InterceptorBinding;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jgits3.gerrit.GerritApi;
import org.jgits3.gerrit.TestSite;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks that Gerrit schedules on each of two nodes on one store. */
@Holds("OneNodeTasks: A task of several Gerrits runs on one at a time, as far as a lease can tell")
class OneNodeTasksTest {
  private static final Pattern LISTENER =
      Pattern.compile("(com\\.google\\.gerrit\\.server\\..+)\\$Life[cC]ycle");

  @TempDir Path directory;
  private final List<S3GitRepositoryManager> nodes = new ArrayList<>();

  /** Thrown where a runner begins with its work. */
  private static final class Ran extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private static <T> T unused(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              throw new UnsupportedOperationException(method.getName());
            }));
  }

  /** A runner as Gerrit makes it, on a node of its own. */
  private GarbageCollectionRunner runner(String node, Runnable work) throws Exception {
    GarbageCollection.Factory factory =
        () -> {
          work.run();
          throw new Ran();
        };
    Injector injector =
        new TestSite(directory.resolve(node), "[s3]\n store = file:" + directory + "/store\n")
            .injector(
                GerritRuntime.DAEMON,
                new OneNodeTasks(),
                new AbstractModule() {
                  @Override
                  protected void configure() {
                    bind(GarbageCollection.Factory.class).toInstance(factory);
                    bind(ProjectCache.class).toInstance(unused(ProjectCache.class));
                  }
                });
    nodes.add((S3GitRepositoryManager) injector.getInstance(GitRepositoryManager.class));
    return injector.getInstance(GarbageCollectionRunner.class);
  }

  @AfterEach
  void stop() {
    nodes.forEach(S3GitRepositoryManager::stop);
  }

  @Test
  void task_is_left_out_while_another_node_runs_it() throws Exception {
    GarbageCollectionRunner other = runner("b", () -> {});
    List<String> leftOut = new ArrayList<>();
    GarbageCollectionRunner one =
        runner(
            "a",
            () -> {
              other.run(); // throws if it runs there
              leftOut.add("b");
            });
    assertThatThrownBy(one::run).isInstanceOf(Ran.class);
    assertThat(leftOut).containsExactly("b");
    assertThatThrownBy(other::run).as("free again").isInstanceOf(Ran.class);
  }

  /** Outer classes of the listeners that schedule a task when Gerrit starts. */
  private static Set<String> scheduled() throws Exception {
    Set<String> scheduled = new TreeSet<>();
    for (String name : GerritApi.mentioning("scheduleAtFixedRate")) {
      Matcher listener = LISTENER.matcher(name);
      if (listener.matches()) {
        scheduled.add(listener.group(1));
      }
    }
    return scheduled;
  }

  private static List<InterceptorBinding> bindings() {
    return Elements.getElements(new OneNodeTasks()).stream()
        .filter(InterceptorBinding.class::isInstance)
        .map(InterceptorBinding.class::cast)
        .toList();
  }

  @Test
  void all_that_gerrit_schedules_is_intercepted_but_for_what_is_of_one_node() throws Exception {
    Set<String> tasks = scheduled();
    assertThat(tasks).contains(GarbageCollectionRunner.class.getName());
    tasks.removeIf(task -> task.endsWith(".PeriodicProjectListCacheWarmer"));
    List<InterceptorBinding> bindings = bindings();
    assertThat(bindings).hasSize(tasks.size());
    for (String task : tasks) {
      Class<?> runner = Class.forName(task);
      assertThat(bindings).as(task).anyMatch(binding -> binding.getClassMatcher().matches(runner));
    }
  }

  /** Guice passes by what it cannot override, without a word. */
  @Test
  void run_of_each_task_that_gerrit_schedules_can_be_intercepted() throws Exception {
    for (String task : scheduled()) {
      Class<?> runner = Class.forName(task);
      for (InterceptorBinding binding : bindings()) {
        if (binding.getClassMatcher().matches(runner)) {
          Method run = runner.getDeclaredMethod("run");
          assertThat(binding.getMethodMatcher().matches(run)).as(task).isTrue();
          assertThat(runner.getModifiers() | run.getModifiers())
              .as(task)
              .satisfies(flags -> assertThat(Modifier.isFinal(flags)).isFalse())
              .satisfies(flags -> assertThat(Modifier.isPrivate(flags)).isFalse());
        }
      }
    }
  }
}
