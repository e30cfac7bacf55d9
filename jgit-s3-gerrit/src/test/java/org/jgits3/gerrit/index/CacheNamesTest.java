// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.cache.Cache;
import com.google.gerrit.entities.Project;
import com.google.gerrit.extensions.annotations.Export;
import com.google.gerrit.server.account.AuthTokenCache;
import com.google.gerrit.server.account.GroupCacheImpl;
import com.google.gerrit.server.account.GroupIncludeCacheImpl;
import com.google.gerrit.server.change.ChangeFinder;
import com.google.gerrit.server.git.SearchingChangeCacheImpl.SearchingChangeCacheImplModule;
import com.google.gerrit.sshd.SshKeyCacheImpl;
import com.google.inject.Binding;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.spi.Elements;
import com.google.inject.spi.LinkedKeyBinding;
import java.lang.reflect.ParameterizedType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Names of the caches that are looked up, as this Gerrit has them. */
class CacheNamesTest {
  private static final List<Module> MODULES =
      List.of(
          AuthTokenCache.module(),
          ChangeFinder.module(),
          GroupCacheImpl.module(),
          GroupIncludeCacheImpl.module(),
          SshKeyCacheImpl.module(),
          new SearchingChangeCacheImplModule());

  private static final Pattern LOOKUP =
      Pattern.compile("(?:\\.get\\(PluginName\\.GERRIT,|flush\\()\\s*\"(\\w+)\"\\)");

  /** Keys of Gerrit's caches, by the names under which they are found. */
  private static Map<String, Key<?>> caches() {
    return Elements.getElements(MODULES).stream()
        .filter(LinkedKeyBinding.class::isInstance)
        .map(element -> (LinkedKeyBinding<?>) element)
        .filter(binding -> binding.getKey().getAnnotation() instanceof Export)
        .filter(binding -> binding.getKey().getTypeLiteral().getRawType() == Cache.class)
        .collect(Collectors.toMap(CacheNamesTest::name, LinkedKeyBinding::getLinkedKey));
  }

  private static String name(Binding<?> cache) {
    return ((Export) cache.getKey().getAnnotation()).value();
  }

  @Test
  void caches_that_are_flushed_are_those_of_gerrit() throws Exception {
    assertThat(LocalState.GROUPS).isNotEmpty();
    assertThat(caches()).containsKeys(LocalState.GROUPS.toArray(String[]::new));
    assertThat(caches()).containsKey(LocalState.SSH_KEYS);
  }

  @Test
  void caches_that_are_looked_up_one_by_one_are_those_of_gerrit() throws Exception {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
      for (Path source : sources.filter(Files::isRegularFile).toList()) {
        LOOKUP.matcher(Files.readString(source)).results().forEach(r -> names.add(r.group(1)));
      }
    }
    assertThat(names).isNotEmpty();
    assertThat(caches()).containsKeys(names.toArray(String[]::new));
  }

  @Test
  void changes_are_cached_by_project() {
    Key<?> changes = caches().get("changes");
    ParameterizedType type = (ParameterizedType) changes.getTypeLiteral().getType();
    assertThat(type.getActualTypeArguments()[0]).isEqualTo(Project.NameKey.class);
  }
}
