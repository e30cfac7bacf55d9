// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import static java.util.function.Predicate.not;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
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
import java.util.TreeMap;

/**
 * The fields of a stored manifest in their order. Those of the state, which depend on it, are
 * between {@code state} and {@code generation}.
 */
@JsonIgnoreProperties("crc32c")
record ManifestFields(
    int format,
    @JsonDeserialize(using = StoredValues.RepositoryId.class) String repositoryId,
    String state,
    Optional<String> name,
    long epoch,
    Optional<Long> since,
    long generation,
    String nonce,
    SortedMap<String, Long> writers,
    long prunedTo,
    long boundary,
    long dropped,
    Optional<Manifest.Template> template,
    Optional<RepositorySettings> settings,
    Optional<Refs> refs,
    List<PackEntry> packs,
    Optional<TransactionLog> log,
    @JsonAnyGetter @JsonAnySetter Map<String, JsonNode> extra) {

  static ManifestFields of(Manifest m) {
    RepositoryState state = m.state();
    return new ManifestFields(
        Manifest.FORMAT,
        m.repositoryId(),
        state.getClass().getSimpleName().toLowerCase(Locale.ROOT),
        state instanceof RepositoryState.Active active
            ? Optional.of(active.name().value())
            : Optional.empty(),
        m.identity().epoch(),
        since(state),
        m.generation(),
        m.nonce(),
        m.counters().writers(),
        m.counters().prunedTo(),
        m.sweepBoundary(),
        m.dropped(),
        m.template(),
        Optional.of(m.settings()).filter(not(RepositorySettings.NONE::equals)),
        Optional.of(m.refs()).filter(not(Refs.NONE::equals)),
        m.packs(),
        Optional.of(m.log()).filter(not(TransactionLog.EMPTY::equals)),
        new TreeMap<>(m.extra()));
  }

  private static Optional<Long> since(RepositoryState state) {
    if (state instanceof RepositoryState.Importing importing) {
      return Optional.of(importing.since());
    }
    return state instanceof RepositoryState.Deleted deleted && deleted.since() > 0
        ? Optional.of(deleted.since())
        : Optional.empty();
  }

  Manifest manifest() {
    check();
    return new Manifest(
        new Manifest.Identity(repositoryId, repositoryState(), epoch, generation, nonce, template),
        new Manifest.Counters(writers, prunedTo, boundary, dropped),
        new Manifest.Content(
            settings.orElse(RepositorySettings.NONE),
            refs.orElse(Refs.NONE),
            packs,
            log.orElse(TransactionLog.EMPTY)),
        extra);
  }

  private RepositoryState repositoryState() {
    return switch (state) {
      case "importing" -> new RepositoryState.Importing(of("since", since));
      case "active" -> new RepositoryState.Active(new RepositoryName(of("name", name)));
      case "deleted" -> new RepositoryState.Deleted(since.orElse(0L));
      default -> throw new IllegalArgumentException("has the unknown state " + state);
    };
  }

  private <T> T of(String field, Optional<T> value) {
    return value.orElseThrow(
        () -> new IllegalArgumentException("is " + state + " and lacks the field " + field));
  }

  /** Checks the rules between fields. */
  private void check() {
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
}
