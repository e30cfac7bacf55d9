// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gerrit.common.data.GlobalCapability;
import com.google.gerrit.entities.Project;
import com.google.gerrit.extensions.registration.PluginName;
import com.google.gerrit.server.config.AllUsersNameProvider;
import com.google.gerrit.server.config.AuthConfig;
import com.google.gerrit.server.config.GerritServerConfig;
import com.google.gerrit.server.config.SitePath;
import com.google.gerrit.server.git.GitRepositoryManagerModule;
import com.google.gerrit.server.git.LocalDiskRepositoryManager;
import com.google.inject.Guice;
import com.google.inject.Injector;
import java.nio.file.Path;
import org.eclipse.jgit.lib.Config;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Constants and settings of Gerrit that the jar has by value. */
class ConstantsTest {
  @TempDir Path site;

  /**
   * The compiler copies them into the jar, which is compiled with one line and runs with another.
   */
  @Test
  void constants_are_the_same_in_each_line() {
    assertThat(AllUsersNameProvider.DEFAULT).isEqualTo("All-Users");
    assertThat(GitRepositoryManagerModule.MANAGER_MODULE).isEqualTo("git-manager");
    assertThat(PluginName.GERRIT).isEqualTo("gerrit");
    assertThat(GlobalCapability.ADMINISTRATE_SERVER).isEqualTo("administrateServer");
  }

  @Test
  void settings_that_the_jar_reads_are_those_of_gerrit() throws Exception {
    Config config = new Config();
    config.setString("gerrit", null, "allUsers", "People");
    config.setString("gerrit", null, "basePath", "projects");
    config.setString("auth", null, "httpHeader", "X-User");
    Injector injector =
        Guice.createInjector(
            binder -> {
              binder.bind(Config.class).annotatedWith(GerritServerConfig.class).toInstance(config);
              binder.bind(Path.class).annotatedWith(SitePath.class).toInstance(site);
            });
    assertThat(injector.getInstance(AllUsersNameProvider.class).get().get()).isEqualTo("People");
    assertThat(injector.getInstance(AuthConfig.class).getLoginHttpHeader()).isEqualTo("X-User");
    assertThat(
            injector
                .getInstance(LocalDiskRepositoryManager.class)
                .getBasePath(Project.nameKey("a")))
        .isEqualTo(site.resolve("projects"));
  }
}
