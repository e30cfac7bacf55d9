// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e.tools;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Makes a Gerrit that can be started from the jars that Maven Central has. */
public final class GerritWar {
  private static final String LAUNCHER = "com/google/gerrit/launcher/";

  /** Resource that tells Gerrit its version; the jars have none. */
  public static final String VERSION = "com/google/gerrit/common/Version";

  /** Level of a released Gerrit; without it each byte that is sent is logged. */
  private static final String LOGGING = "log4j.rootCategory=INFO\n";

  private GerritWar() {}

  /** Returns the war; it is kept beside the directory of jars. */
  public static Path assemble(Path jars, String version) throws IOException {
    Path war = jars.resolveSibling("gerrit-" + version + ".war");
    if (Files.exists(war)) {
      return war;
    }
    Path unfinished = Files.createTempFile(jars.getParent(), "gerrit", ".war");
    List<Path> all;
    try (Stream<Path> files = Files.list(jars)) {
      all = files.filter(f -> f.toString().endsWith(".jar")).sorted().toList();
    }
    try (ZipOutputStream zip =
        new ZipOutputStream(new BufferedOutputStream(Files.newOutputStream(unfinished)))) {
      Manifest manifest = new Manifest();
      manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
      manifest
          .getMainAttributes()
          .put(Attributes.Name.MAIN_CLASS, "com.google.gerrit.launcher.GerritLauncher");
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      manifest.write(bytes);
      store(zip, JarFile.MANIFEST_NAME, bytes.toByteArray());
      store(zip, VERSION, version.getBytes(US_ASCII));
      store(zip, "log4j.properties", LOGGING.getBytes(US_ASCII));
      boolean launcher = false;
      for (Path jar : all) {
        if (!launcher) {
          launcher = storeLauncher(zip, jar);
        }
        store(zip, "WEB-INF/lib/" + jar.getFileName(), Files.readAllBytes(jar));
      }
      if (!launcher) {
        throw new IOException("no launcher of Gerrit in " + all);
      }
    }
    return Files.move(unfinished, war, StandardCopyOption.REPLACE_EXISTING);
  }

  private static boolean storeLauncher(ZipOutputStream zip, Path jar) throws IOException {
    boolean found = false;
    try (JarFile file = new JarFile(jar.toFile())) {
      for (Enumeration<JarEntry> e = file.entries(); e.hasMoreElements(); ) {
        JarEntry entry = e.nextElement();
        if (entry.getName().startsWith(LAUNCHER) && entry.getName().endsWith(".class")) {
          store(zip, entry.getName(), file.getInputStream(entry).readAllBytes());
          found = true;
        }
      }
    }
    return found;
  }

  /** The launcher loads jars in the war only if they are not compressed. */
  private static void store(ZipOutputStream zip, String name, byte[] bytes) throws IOException {
    CRC32 crc = new CRC32();
    crc.update(bytes);
    ZipEntry entry = new ZipEntry(name);
    entry.setMethod(ZipEntry.STORED);
    entry.setSize(bytes.length);
    entry.setCrc(crc.getValue());
    zip.putNextEntry(entry);
    zip.write(bytes);
    zip.closeEntry();
  }
}
