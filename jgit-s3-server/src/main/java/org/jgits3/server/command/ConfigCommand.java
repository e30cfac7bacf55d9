// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.StoredConfig;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.server.program.RepositoryCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** Shows and changes the Git configuration of a repository, as {@code git config} does. */
@Command(
    name = "config",
    description =
        "Print the Git configuration of a repository, or the values of one key, or set it.")
final class ConfigCommand extends RepositoryCommand {
  /** Sections that describe the repository format and must not be changed. */
  private static final Set<String> FIXED_SECTIONS = Set.of("extensions");

  private static final Set<String> FIXED_CORE_KEYS = Set.of("bare", "repositoryformatversion");

  @Nullable
  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "KEY",
      converter = KeyConverter.class,
      description = "A key, gc.pruneExpire for instance; default: all that are set.")
  private Key key;

  @Nullable
  @Parameters(
      index = "2",
      arity = "0..1",
      paramLabel = "VALUE",
      description = "What the key is set to, instead of all values it has.")
  private String value;

  @Option(names = "--unset", description = "Remove all values of the key.")
  private boolean unset;

  /**
   * A key of a configuration.
   *
   * @param section its section, in lower case
   * @param subsection the part between the first and the last dot
   * @param name its name, in lower case
   */
  private record Key(String section, @Nullable String subsection, String name) {
    @Override
    public String toString() {
      return section + (subsection == null ? "." : "." + subsection + ".") + name;
    }
  }

  /** Reads keys as Git writes them. */
  private static final class KeyConverter implements ITypeConverter<Key> {
    @Override
    public Key convert(String text) {
      int first = text.indexOf('.');
      int last = text.lastIndexOf('.');
      String section = text.substring(0, Math.max(0, first));
      String name = text.substring(last + 1);
      if (!section.matches("[A-Za-z0-9-]+") || !name.matches("[A-Za-z][A-Za-z0-9-]*")) {
        throw new TypeConversionException("'" + text + "' is no key; write SECTION.NAME");
      }
      String subsection = first == last ? null : text.substring(first + 1, last);
      if (subsection != null && subsection.chars().anyMatch(Character::isISOControl)) {
        throw new TypeConversionException("a key has no control characters");
      }
      return new Key(section.toLowerCase(Locale.ROOT), subsection, name.toLowerCase(Locale.ROOT));
    }
  }

  /** Value as {@code --json} prints it. */
  private record Row(String key, String value) {}

  /** Change as {@code --json} prints it. */
  private record Changed(boolean ok, String name, String key) {}

  @Override
  public Integer call() throws IOException {
    boolean changes = unset || value != null;
    if (unset && (key == null || value != null)) {
      throw usage("--unset takes a key and no value");
    }
    if (changes && isFixed(key)) {
      throw usage(key + " says what the repository is, and cannot be changed");
    }
    try (S3RepositoryManager manager = changes ? program.open() : program.openToRead();
        S3Repository repository = manager.openRepository(name.value(), Purpose.request())) {
      if (changes) {
        change(repository.getConfig());
      } else {
        print(own(repository.getConfig()));
      }
    }
    return 0;
  }

  private static boolean isFixed(Key key) {
    return FIXED_SECTIONS.contains(key.section())
        || (key.section().equals("core") && FIXED_CORE_KEYS.contains(key.name()));
  }

  private void change(StoredConfig config) throws IOException {
    if (unset) {
      config.unset(key.section(), key.subsection(), key.name());
    } else {
      config.setString(key.section(), key.subsection(), key.name(), value);
    }
    config.save();
    output.result(
        new Changed(true, name.value(), key.toString()),
        (unset ? "Removed " : "Set ") + key + " of " + name);
  }

  /** Configuration of the repository itself, without the administrator's. */
  private static Config own(StoredConfig config) throws IOException {
    Config own = new Config();
    try {
      own.fromText(config.toText());
    } catch (ConfigInvalidException e) {
      throw new IOException(e.getMessage(), e);
    }
    return own;
  }

  private void print(Config config) throws IOException {
    List<Row> rows = key == null ? all(config) : values(config, key);
    if (rows.isEmpty() && key != null) {
      throw new IOException(name + " has no " + key + " of its own");
    }
    output.value(rows);
    rows.forEach(row -> output.line(key == null ? row.key() + "=" + row.value() : row.value()));
  }

  private static List<Row> all(Config config) {
    List<Row> rows = new ArrayList<>();
    for (String section : new TreeSet<>(config.getSections())) {
      for (String name : config.getNames(section)) {
        rows.addAll(values(config, new Key(section, null, name)));
      }
      for (String subsection : new TreeSet<>(config.getSubsections(section))) {
        for (String name : config.getNames(section, subsection)) {
          rows.addAll(values(config, new Key(section, subsection, name)));
        }
      }
    }
    return rows;
  }

  private static List<Row> values(Config config, Key key) {
    List<Row> rows = new ArrayList<>();
    for (String each : config.getStringList(key.section(), key.subsection(), key.name())) {
      rows.add(new Row(key.toString(), each == null ? "" : each));
    }
    return rows;
  }
}
