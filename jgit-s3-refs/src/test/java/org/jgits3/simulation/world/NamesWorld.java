// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation.world;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.jgits3.S3RepositoryManager;
import org.jgits3.S3Settings;
import org.jgits3.internal.commit.ManifestCommitter;
import org.jgits3.internal.commit.ManifestFile;
import org.jgits3.internal.commit.Proposal;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.fleet.Manifests;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.PackEntry;
import org.jgits3.manifest.PackFileEntry;
import org.jgits3.manifest.Refs;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.simulation.Scheduler;
import org.jgits3.store.ObjectStore;

/**
 * Names alone: several processes create, rename and delete repositories of a few names, fork
 * templates, import, push, and look names up. Sweeps delete the objects of what has no name. Each
 * run has some of these.
 */
public class NamesWorld extends ManifestWorld {
  private static final List<String> NAMES = List.of("a", "b", "c");

  private List<IoConsumer<Session>> actions;

  /** What a process knows. */
  static final class Session {
    final ObjectStore client;
    private final Map<String, ManifestCommitter> committers = new HashMap<>();

    Session(ObjectStore client) {
      this.client = client;
    }

    /** The repository that this process takes a name for. */
    Optional<String> known(String name) {
      return Optional.ofNullable(committers.get(name))
          .filter(committer -> !committer.isGone())
          .flatMap(ManifestCommitter::cached)
          .map(known -> known.manifest().repositoryId());
    }
  }

  /** Makes a world. */
  public NamesWorld() {}

  @Override
  void begin() throws IOException {
    int theme = random.nextInt(4);
    actions = new ArrayList<>(List.of(this::rename, this::delete));
    actions.addAll(
        switch (theme) {
          case 0 -> List.of(this::create, this::rename, this::look, this::look, this::list);
          case 1 -> List.of(this::create, this::rename, this::push, this::push);
          case 2 -> List.of(this::fork, this::fork, this::fork, this::template, this::sweep);
          default -> List.of(this::create, this::importing, this::importing, this::sweep);
        });
    Session setup = new Session(new Client(bucket, new Scheduler.Jvm("setup", 0)));
    if (theme == 2) {
      template(setup, NAMES.get(0));
    } else {
      create(setup.client, NAMES.get(0));
      create(setup.client, NAMES.get(1));
    }
    startSome();
  }

  @Override
  void start() {
    Scheduler.Jvm process = process(0);
    Session session = new Session(new Client(bucket, process));
    start(
        process, 0, () -> work(() -> actions.get(random.nextInt(actions.size())).accept(session)));
  }

  private String some() {
    return NAMES.get(random.nextInt(NAMES.size()));
  }

  /** A name, mostly one that stands for a repository, or mostly for none. */
  private String some(boolean used) {
    String name = some();
    return (history.naming().holder(name) != null) == used ? name : some();
  }

  /** The repository that a process knows by a name, now and then. */
  private Optional<String> known(Session session, String name) {
    return random.nextBoolean() ? session.known(name) : Optional.empty();
  }

  private void create(Session session) {
    create(session.client, some(false));
  }

  private void rename(Session session) {
    String from = some(true);
    String to = NAMES.get((NAMES.indexOf(from) + 1 + random.nextInt(2)) % NAMES.size());
    rename(session.client, known(session, from), from, to);
  }

  private void delete(Session session) {
    String name = some(true);
    delete(session.client, known(session, name), name);
  }

  ManifestCommitter committer(Session session, String name) {
    ManifestCommitter known = session.committers.get(name);
    if (known == null || known.isGone() || random.nextInt(3) == 0) {
      known = StoredManifest.committer(session.client, name(name), deadline);
      session.committers.put(name, known);
    }
    return known;
  }

  private void look(Session session) {
    String name = some();
    look(name, committer(session, name));
  }

  private void push(Session session) {
    String name = some(true);
    update(name, committer(session, name));
  }

  private void list(Session session) throws IOException {
    int began = history.now();
    Set<String> found = new TreeSet<>();
    catalog(session.client).list(name -> found.add(name.value()));
    history.listed(began, found);
  }

  /** Imports a repository with one pack, or what one has, and gives it a name. */
  private void importing(Session session) throws IOException {
    importing(session, some(false), false);
  }

  private void template(Session session) throws IOException {
    template(session, some(false));
  }

  private void template(Session session, String name) throws IOException {
    importing(session, name, true);
  }

  void importing(Session session, String name, boolean template) throws IOException {
    scheduler.trace(() -> "import " + name);
    Refs none = new Refs(List.of(), new TreeMap<>(), new TreeMap<>());
    Manifest first =
        catalog(session.client).createImport(template, RepositorySettings.NONE, none).manifest();
    String id = first.repositoryId();
    ManifestCommitter committer =
        new ManifestCommitter(new ManifestFile(session.client, id, Optional.empty()), deadline);
    PackEntry pack = pack(session.client, committer.validate().manifest());
    committer.<Boolean>commit(base -> Proposal.edit(base.withPacks(List.of(pack)), true));
    if (template) {
      committer.<Boolean>commit(
          base ->
              Proposal.edit(
                  base.withTemplate(Optional.of(new Manifest.Template(id, base.generation()))),
                  true));
    }
    Names.Report report =
        naming(
            Names.Kind.PUBLISH,
            Optional.of(id),
            name,
            () -> {
              catalog(session.client).publish(id, name(name));
              return id;
            });
    if (report == Names.Report.TAKEN) {
      naming(
          Names.Kind.DISCARD,
          Optional.of(id),
          name,
          () -> {
            catalog(session.client).deleteImport(id);
            return id;
          });
    }
  }

  private static PackEntry pack(ObjectStore client, Manifest manifest) throws IOException {
    String id = ObjectNames.mint(manifest);
    byte[] bytes = id.getBytes(UTF_8);
    client.put(ObjectNames.packKey(manifest.repositoryId(), id, "pack"), bytes, 0, bytes.length);
    PackFileEntry file = new PackFileEntry(bytes.length, 0, 0, -1);
    return new PackEntry(id, "INSERT", new TreeMap<>(Map.of("pack", file)), 0, 1, 0, Map.of());
  }

  private void fork(Session session) throws IOException {
    String called = NAMES.stream().filter(this::isTemplate).findFirst().orElse(NAMES.get(0));
    ManifestCommitter committer = committer(session, called);
    if (committer.known().isTemplate()) {
      fork(session, committer.cached().orElseThrow(), some(false));
    }
  }

  void fork(Session session, VersionedManifest template, String name) {
    naming(
        Names.Kind.FORK,
        Optional.empty(),
        name,
        () -> catalog(session.client).fork(name(name), template, true).manifest().repositoryId());
  }

  private boolean isTemplate(String name) {
    Manifest manifest = history.naming().manifest(history.naming().holder(name));
    return manifest != null && manifest.isTemplate();
  }

  /** Sweeps a repository, which may have no name. */
  private void sweep(Session session) throws IOException {
    List<String> ids = history.naming().ids();
    String id = ids.get(random.nextInt(ids.size()));
    sweep(session, id, Duration.ofMillis(random.nextInt(2)));
  }

  void sweep(Session session, String id, Duration grace) throws IOException {
    scheduler.trace(() -> "sweep " + id + " after " + grace);
    try (S3RepositoryManager manager = new S3RepositoryManager(session.client, settings())) {
      manager.sweepById(id, grace, false);
    }
  }

  private S3Settings settings() {
    Config config = new Config();
    config.setString("s3", null, "commitDeadline", deadline.toMillis() + " ms");
    try {
      return S3Settings.from(config, "simulation");
    } catch (ConfigInvalidException e) {
      throw new AssertionError(e);
    }
  }

  /** Checks that the name of each repository leads to it, and that each fork has its template. */
  private void checkPointers(Client client) throws IOException {
    List<Manifest> all = new ArrayList<>();
    Manifests.readAll(client, true, all::add);
    for (Manifest each : all) {
      Optional<RepositoryName> name = each.name();
      Optional<String> id = Optional.of(each.repositoryId());
      if (name.isPresent() && !catalog(client).find(name.get()).equals(id)) {
        throw new AssertionError(name.get() + " does not lead to the repository that says it");
      }
      if (name.isPresent() && each.isFork()) {
        String template = each.template().orElseThrow().repositoryId();
        if (all.stream().noneMatch(m -> m.repositoryId().equals(template) && m.mayHaveForks())) {
          throw new AssertionError(name.get() + " is a fork of a template that there is not");
        }
      }
    }
  }

  @Override
  void check(Client client) throws IOException {
    checkPointers(client);
    Session session = new Session(client);
    list(session);
    for (String name : NAMES) {
      look(name, committer(session, name));
    }
    checkAlone(client, NAMES);
  }
}
