// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.google.gerrit.common.Version;
import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Classes of the Gerrit on the class path. */
public final class GerritApi {
  private static final String SUFFIX = ".class";

  private GerritApi() {}

  /**
   * Finds classes of Gerrit's server, web server and SSH server whose code has a text, such as the
   * name of a method that they call.
   *
   * @param text the text, as class files have it
   * @return binary names
   */
  public static List<String> mentioning(String text) throws Exception {
    List<String> found = new ArrayList<>();
    File api = new File(Version.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (JarFile jar = new JarFile(api)) {
      for (JarEntry entry : Collections.list(jar.entries())) {
        String name = entry.getName();
        if (name.matches("com/google/gerrit/(server|httpd|sshd)/.*\\.class")
            && new String(jar.getInputStream(entry).readAllBytes(), ISO_8859_1).contains(text)) {
          found.add(name.substring(0, name.length() - SUFFIX.length()).replace('/', '.'));
        }
      }
    }
    return found;
  }
}
