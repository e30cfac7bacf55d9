// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import static java.util.function.Predicate.not;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The fields of a stored manifest in their order. Those of the state, which depend on it, are
 * between {@code state} and {@code generation}.
 */
@JsonIgnoreProperties("crc32c")
record ManifestFields(
    int format,
    @JsonDeserialize(using = StoredValues.RepositoryId.class) String repositoryId,
    String state,
    Optional<String> importOf,
    Optional<String> to,
    Optional<String> from,
    Optional<String> rename,
    Optional<Long> reserved,
    long generation,
    Optional<Binding> bound,
    String nonce,
    SortedSet<String> requires,
    SortedMap<String, Long> writers,
    long prunedTo,
    long boundary,
    long dropped,
    Optional<Manifest.Template> template,
    Optional<RepositorySettings> settings,
    Optional<Refs> refs,
    List<PackEntry> packs,
    Optional<TransactionLog> log,
    List<Departure> left,
    @JsonAnyGetter @JsonAnySetter Map<String, JsonNode> extra) {

  /**
   * Name for which a generation was written.
   *
   * <p>Earlier versions, which do not know this field, keep it unchanged when they write, even for
   * a rename. The generation then differs from that of the manifest, and the name means nothing.
   *
   * @param name value of a {@link RepositoryName}
   * @param generation generation that was written with it
   */
  @JsonFormat(shape = JsonFormat.Shape.ARRAY)
  record Binding(String name, long generation) {
    /**
     * Checks the name.
     *
     * @throws IllegalArgumentException if it is no name of a repository
     */
    Binding {
      new RepositoryName(name);
    }
  }

  static ManifestFields of(RepositoryName name, Manifest m) {
    RepositoryState state = m.state();
    Optional<RepositoryState.Moving> moving = as(RepositoryState.Moving.class, state);
    Optional<RepositoryState.Moved> moved = as(RepositoryState.Moved.class, state);
    Optional<RepositoryState.Reserved> reserved = as(RepositoryState.Reserved.class, state);
    return new ManifestFields(
        format(m.refs(), m.template()),
        m.repositoryId(),
        state.getClass().getSimpleName().toLowerCase(Locale.ROOT),
        as(RepositoryState.Active.class, state).flatMap(RepositoryState.Active::importOf),
        moving.map(RepositoryState.Moving::to).or(() -> moved.map(RepositoryState.Moved::to)),
        reserved.map(RepositoryState.Reserved::from),
        moving
            .map(RepositoryState.Moving::rename)
            .or(() -> reserved.map(RepositoryState.Reserved::rename)),
        moving.map(RepositoryState.Moving::reserved),
        m.generation(),
        Optional.of(new Binding(name.value(), m.generation())),
        m.nonce(),
        new TreeSet<>(m.identity().requires()),
        m.counters().writers(),
        m.counters().prunedTo(),
        m.sweepBoundary(),
        m.dropped(),
        m.template(),
        Optional.of(m.settings()).filter(not(RepositorySettings.NONE::equals)),
        Optional.of(m.refs()).filter(not(Refs.NONE::equals)),
        m.packs(),
        Optional.of(m.log()).filter(not(TransactionLog.EMPTY::equals)),
        m.left(),
        new TreeMap<>(m.extra()));
  }

  /**
   * Format number of a manifest, by which earlier versions refuse what they would misread: 1, plus
   * 1 with a table of recent refs, plus 2 with a template.
   */
  private static int format(Refs refs, Optional<Manifest.Template> template) {
    return 1 + (refs.recent().isPresent() ? 1 : 0) + (template.isPresent() ? 2 : 0);
  }

  Manifest manifest() {
    check();
    return new Manifest(
        new Manifest.Identity(
            repositoryId, repositoryState(), generation, nonce, requires, template),
        new Manifest.Counters(writers, prunedTo, boundary, dropped),
        new Manifest.Content(
            settings.orElse(RepositorySettings.NONE),
            refs.orElse(Refs.NONE),
            packs,
            log.orElse(TransactionLog.EMPTY)),
        left,
        extra);
  }

  /** Name that this generation was written for; empty if an earlier version wrote it. */
  Optional<String> name() {
    return bound.filter(b -> b.generation() == generation).map(Binding::name);
  }

  private RepositoryState repositoryState() {
    return switch (state) {
      case "active" -> new RepositoryState.Active(importOf);
      case "deleted" -> RepositoryState.DELETED;
      case "moving" ->
          new RepositoryState.Moving(of("to", to), of("rename", rename), of("reserved", reserved));
      case "moved" -> new RepositoryState.Moved(of("to", to));
      case "reserved" -> new RepositoryState.Reserved(of("from", from), of("rename", rename));
      default -> throw new IllegalArgumentException("has the unknown state " + state);
    };
  }

  private <T> T of(String field, Optional<T> value) {
    return value.orElseThrow(
        () -> new IllegalArgumentException("is " + state + " and lacks the field " + field));
  }

  /** Checks the rules between fields. */
  private void check() {
    int right = format(refs.orElse(Refs.NONE), template);
    if (format != right) {
      throw new IllegalArgumentException(
          "has format " + format + " with refs and template that are written in format " + right);
    }
    if (generation < 1) {
      throw new IllegalArgumentException("has generation " + generation);
    }
    notAhead("prunedTo", prunedTo);
    notAhead("boundary", boundary);
    notAhead("dropped", dropped);
    template.ifPresent(t -> notAhead("template", t.generation()));
    Set<String> ids = new HashSet<>();
    for (PackEntry pack : packs) {
      if (!ids.add(pack.id())) {
        throw new IllegalArgumentException("lists pack " + pack.id() + " twice");
      }
    }
  }

  private void notAhead(String field, long value) {
    if (value > generation) {
      throw new IllegalArgumentException(
          field + " is " + value + ", above the generation " + generation);
    }
  }

  private static <T> Optional<T> as(Class<T> type, Object value) {
    return Optional.of(value).filter(type::isInstance).map(type::cast);
  }
}
