// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;

/**
 * One key of the {@code [s3]} sections.
 *
 * @param subsection subsection of the key; empty for {@code [s3]} itself
 * @param name its name
 * @param value reads its value
 * @param <T> type of its value
 */
record Setting<T>(String subsection, String name, Function<Place, T> value) {
  /** No duration can be negative; JGit 7.4 returns the default for one it cannot read. */
  private static final long UNREADABLE = -1;

  /** Place of one value in a config. */
  record Place(Config config, @Nullable String subsection, String name) {
    @Nullable
    String text() {
      return config.getString(S3Settings.SECTION, subsection, name);
    }

    String quoted() {
      return "'" + text() + "'";
    }

    /**
     * Value that a method of the config returns; fails with a message if the method cannot read it.
     */
    <V> V read(Supplier<V> value, String wrong) {
      try {
        return value.get();
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(quoted() + " " + wrong, e);
      }
    }

    /** The value, checked against its bounds. */
    <V> V check(V value, boolean right, String wrong) {
      if (!right) {
        throw new IllegalArgumentException(quoted() + " " + wrong);
      }
      return value;
    }

    Duration duration(String wrong) {
      String number = text().strip();
      check(
          number,
          !number.matches("[+-]?\\d+"),
          "has no unit; write '" + number + " s' or '" + number + " min'");
      long millis =
          read(
              () ->
                  config.getTimeUnit(
                      S3Settings.SECTION, subsection, name, UNREADABLE, TimeUnit.MILLISECONDS),
              wrong);
      return Duration.ofMillis(check(millis, millis != UNREADABLE, wrong));
    }

    Duration positive(Duration duration) {
      return check(duration, !duration.isZero(), "is not more than 0");
    }
  }

  /** A key that is read as any type. */
  static <T> Setting<T> of(String subsection, String name, T otherwise, Function<Place, T> value) {
    return new Setting<>(
        subsection, name, place -> place.text() == null ? otherwise : value.apply(place));
  }

  /** A key that need not be set. */
  static <T> Setting<Optional<T>> optional(
      String subsection, String name, Function<String, T> value) {
    return of(subsection, name, Optional.empty(), place -> Optional.of(value.apply(place.text())));
  }

  /** A boolean as Git reads it. */
  static Setting<Boolean> flag(String subsection, String name, boolean otherwise) {
    return of(
        subsection,
        name,
        otherwise,
        at ->
            at.read(
                () -> at.config.getBoolean(S3Settings.SECTION, at.subsection, at.name, otherwise),
                "is neither true nor false"));
  }

  /** One of two words; the first one if none is set. */
  static Setting<Boolean> word(String subsection, String name, String yes, String no) {
    return of(
        subsection,
        name,
        true,
        at -> {
          boolean first = yes.equalsIgnoreCase(at.text());
          boolean known = first || no.equalsIgnoreCase(at.text());
          return at.check(first, known, "is neither " + yes + " nor " + no);
        });
  }

  /** A number within bounds. */
  static Setting<Integer> number(
      String subsection, String name, int otherwise, int least, int most) {
    return of(
        subsection,
        name,
        otherwise,
        at -> {
          int number =
              at.read(
                  () -> at.config.getInt(S3Settings.SECTION, at.subsection, at.name, otherwise),
                  "is no number");
          return at.check(
              number, number >= least && number <= most, "is not from " + least + " to " + most);
        });
  }

  /** A number of bytes from 0. */
  static Setting<Long> bytes(String subsection, String name, long otherwise) {
    return of(
        subsection,
        name,
        otherwise,
        at -> {
          long number =
              at.read(
                  () -> at.config.getLong(S3Settings.SECTION, at.subsection, at.name, otherwise),
                  "is no number of bytes such as '512m'");
          return at.check(number, number >= 0, "is less than 0");
        });
  }

  /** A duration of more than 0, with its unit. */
  static Setting<Duration> duration(String subsection, String name, Duration otherwise) {
    return of(
        subsection,
        name,
        otherwise,
        at -> at.positive(at.duration("is no duration such as '30 s'")));
  }

  /** Header of the section that the key stands in. */
  static String header(String subsection) {
    return subsection.isEmpty() ? "[s3]" : "[s3 \"" + subsection + "\"]";
  }

  /**
   * Reads the value.
   *
   * @throws ConfigInvalidException if it is wrong, with one line that names source, section and key
   */
  T read(Config config, String source) throws ConfigInvalidException {
    try {
      return value.apply(new Place(config, subsection.isEmpty() ? null : subsection, name));
    } catch (IllegalArgumentException e) {
      throw new ConfigInvalidException(
          source + ": " + header(subsection) + " " + name + ": " + e.getMessage(), e);
    }
  }
}
