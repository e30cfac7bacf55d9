// SPDX-License-Identifier: Apache-2.0
package org.jgits3.verify;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.fleet.Fleet;
import org.jgits3.fleet.FleetPass;
import org.jgits3.internal.commit.StoredManifest;
import org.jgits3.internal.function.IoRunnable;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.NamePointer;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.store.Crc32c;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.GetResult;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.StoreContent;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Names in a copy of a store, of which each object was copied at another moment. */
@Holds(
    "NameCheck: In a copy made in any order, each repository that existed throughout is found "
        + "after a repair, or reported by id, as is a fork without a manifest of its template (E-m30 "
        + "to E-m34)")
class NameCheckTest {
  private static final RepositoryName NAME = RepositoryName.of("r");
  private static final String KEY = NAME.pointerKey();

  private final MemoryObjectStore store = new MemoryObjectStore();
  @AutoClose private S3RepositoryManager manager;
  private String id;

  @BeforeEach
  void create() throws Exception {
    manager = TestRepositories.manager(store);
    create("r");
    create("s");
    id = id("r");
  }

  private void create(String name) throws IOException {
    try (S3Repository r = manager.createRepository(name)) {
      TestRepositories.force(r, "refs/heads/main", TestRepositories.commit(r, name));
    }
  }

  private String id(String name) throws IOException {
    return StoredManifest.read(store, name).repositoryId();
  }

  private byte[] bytes(String key) throws IOException {
    return StoreContent.bytes(store, key);
  }

  private void put(String key, byte[] bytes) {
    store.put(key, bytes, 0, bytes.length);
  }

  /** A copy of the store in another process. */
  private static S3RepositoryManager process(ObjectStore store) throws Exception {
    return TestRepositories.manager(store);
  }

  private List<NameCheck.Finding> check(boolean repair) throws IOException {
    return new NameCheck(manager.store()).run(repair);
  }

  private void isFoundByItsName() throws Exception {
    assertThat(id("r")).isEqualTo(id);
    try (S3RepositoryManager other = process(store)) {
      Verification.Report report = new Verification(other, NullProgressMonitor.INSTANCE).run("r");
      assertThat(report.findings()).isEmpty();
      assertThat(report.objects()).isPositive();
    }
    assertThat(check(false)).isEmpty();
  }

  /** A state of the pointer in which it does not lead to the repository that says the name. */
  private enum Pointer {
    MISSING,
    FREE,
    ELSEWHERE,
    DAMAGED
  }

  private void set(Pointer pointer) throws IOException {
    switch (pointer) {
      case MISSING -> store.delete(List.of(KEY));
      case FREE -> put(KEY, NamePointer.free().encode());
      case ELSEWHERE -> put(KEY, NamePointer.to(id("s"), 0).encode());
      case DAMAGED -> {
        byte[] damaged = bytes(KEY);
        damaged[20] ^= 1;
        put(KEY, damaged);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void E_m30_repository_that_its_name_misses_is_reported_and_repaired(Pointer pointer)
      throws Exception {
    assertThat(check(true)).isEmpty();
    set(pointer);
    byte[] manifest = bytes(ObjectNames.manifestKey(id));
    String problem =
        "the repository " + id + " says the name r, whose pointer leads elsewhere or is damaged";
    assertThat(check(false))
        .containsExactly(
            new NameCheck.Finding(KEY, problem + "; see verify --names --repair", false));
    assertThat(bytes(ObjectNames.manifestKey(id))).isEqualTo(manifest);
    assertThat(check(true)).containsExactly(new NameCheck.Finding(KEY, problem, true));
    isFoundByItsName();
  }

  @Test
  void E_m31_two_repositories_that_say_one_name_are_reported_and_left() throws Exception {
    String renamed = id("s");
    byte[] before = bytes(ObjectNames.manifestKey(id));
    byte[] pointer = bytes(KEY);
    manager.rename("r", "t");
    manager.rename("s", "r");
    put(ObjectNames.manifestKey(id), before); // copied before the renames
    List<byte[]> all = List.of(bytes(KEY), before, bytes(ObjectNames.manifestKey(renamed)));
    for (boolean repair : new boolean[] {false, true}) {
      List<NameCheck.Finding> findings = check(repair);
      assertThat(findings).hasSize(1);
      assertThat(findings.get(0).key()).isEqualTo(KEY);
      assertThat(findings.get(0).problem())
          .contains(id, renamed, "both say the name r", "by rename --id or delete --id");
      assertThat(findings.get(0).repaired()).isFalse();
    }
    assertThat(bytes(KEY)).isEqualTo(all.get(0)).isNotEqualTo(pointer);
    assertThat(bytes(ObjectNames.manifestKey(id))).isEqualTo(all.get(1));
    assertThat(bytes(ObjectNames.manifestKey(renamed))).isEqualTo(all.get(2));
    manager.renameById(id, "other");
    assertThat(id("other")).isEqualTo(id);
    assertThat(id("r")).isEqualTo(renamed);
    assertThat(check(false)).isEmpty();
  }

  /** Repairs in another process, which does a step before it first writes a pointer. */
  private List<NameCheck.Finding> repairs(IoRunnable beforePointer) throws Exception {
    AtomicReference<IoRunnable> step = new AtomicReference<>(beforePointer);
    ObjectStore staged =
        new DelegatingObjectStore(store) {
          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition condition)
              throws IOException {
            IoRunnable next = key.equals(KEY) ? step.getAndSet(null) : null;
            if (next != null) {
              next.run();
            }
            return super.putIf(key, body, condition);
          }
        };
    try (S3RepositoryManager other = process(staged)) {
      return new NameCheck(other.store()).run(true);
    }
  }

  @Test
  void E_m32_E_m34_name_that_another_repository_gets_meanwhile_is_reported() throws Exception {
    set(Pointer.MISSING);
    assertThat(repairs(() -> manager.createRepository("r").close()))
        .containsExactly(
            new NameCheck.Finding(
                KEY,
                "the repository "
                    + id
                    + " says the name r, which another one has by now; give it another name by"
                    + " rename --id",
                false));
    assertThat(id("r")).isNotEqualTo(id);
    manager.renameById(id, "old");
    assertThat(id("old")).isEqualTo(id);
    assertThat(check(false)).isEmpty();
  }

  @Test
  void E_m32_creation_that_a_repair_overtakes_is_refused() throws Exception {
    set(Pointer.MISSING);
    AtomicBoolean first = new AtomicBoolean(true);
    ObjectStore staged =
        new DelegatingObjectStore(store) {
          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition condition)
              throws IOException {
            if (key.startsWith(ObjectNames.MANIFESTS) && first.getAndSet(false)) {
              assertThat(check(true)).hasSize(1).allMatch(NameCheck.Finding::repaired);
            }
            return super.putIf(key, body, condition);
          }
        };
    try (S3RepositoryManager other = process(staged)) {
      assertThatThrownBy(() -> other.createRepository("r"))
          .isInstanceOf(ManifestException.Exists.class);
    }
    isFoundByItsName();
  }

  @Test
  void E_m33_repository_that_no_name_leads_to_is_swept_as_any_other() throws Exception {
    set(Pointer.MISSING);
    FleetPass pass = new Fleet(manager).sweepPass(true);
    for (var next = pass.next(); next.isPresent(); next = pass.next()) {
      manager.sweepById(next.get(), Duration.ZERO, false);
    }
    assertThat(check(true)).hasSize(1);
    isFoundByItsName();
  }

  @Test
  void damaged_pointer_of_a_name_that_no_repository_says_becomes_free() throws Exception {
    manager.rename("r", "t");
    set(Pointer.DAMAGED);
    assertThatThrownBy(() -> manager.createRepository("r"))
        .isInstanceOf(ManifestException.Corrupt.class)
        .hasMessageContaining(KEY);
    assertThat(check(false))
        .extracting(NameCheck.Finding::key, NameCheck.Finding::repaired)
        .containsExactly(tuple(KEY, false));
    assertThat(check(true))
        .extracting(NameCheck.Finding::key, NameCheck.Finding::repaired)
        .containsExactly(tuple(KEY, true));
    manager.createRepository("r").close();
    assertThat(check(false)).isEmpty();
  }

  @Test
  void pointer_of_a_newer_format_is_reported_and_kept() throws Exception {
    String written = new String(bytes(KEY), US_ASCII);
    String fields =
        written.substring(0, written.indexOf(",\"crc32c\"")).replace("format\":1", "format\":9");
    int crc = Crc32c.of(fields.getBytes(US_ASCII));
    String trailer = ",\"crc32c\":\"" + HexFormat.of().toHexDigits(crc) + "\"}";
    byte[] newer = (fields + trailer).getBytes(US_ASCII);
    put(KEY, newer);
    assertThat(check(true))
        .hasSize(1)
        .allMatch(finding -> finding.key().equals(KEY) && !finding.repaired());
    assertThat(bytes(KEY)).isEqualTo(newer);
  }

  @Test
  void damaged_manifest_is_reported_by_its_key_and_the_others_are_checked() throws Exception {
    String key = ObjectNames.manifestKey(id("s"));
    byte[] damaged = bytes(key);
    damaged[200] ^= 1;
    put(key, damaged);
    set(Pointer.MISSING);
    assertThat(check(true))
        .extracting(NameCheck.Finding::key, NameCheck.Finding::repaired)
        .containsExactlyInAnyOrder(tuple(key, false), tuple(KEY, true));
    assertThat(id("r")).isEqualTo(id);
  }

  @Test
  void repository_that_is_renamed_while_it_is_checked_is_no_finding() throws Exception {
    AtomicInteger reads = new AtomicInteger();
    ObjectStore renaming =
        new DelegatingObjectStore(store) {
          @Override
          public GetResult get(String key, Optional<ObjectVersion> known) throws IOException {
            if (key.equals(KEY) && reads.getAndIncrement() == 0) {
              manager.rename("r", "t");
            }
            return super.get(key, known);
          }
        };
    try (S3RepositoryManager other = process(renaming)) {
      assertThat(new NameCheck(other.store()).run(true)).isEmpty();
    }
    assertThat(reads.get()).isPositive();
    assertThat(id("t")).isEqualTo(id);
  }

  @Test
  void name_without_a_manifest_is_free_after_a_repair_that_says_its_id() throws Exception {
    String none = "0123456789abcdef0123456789abcdef";
    RepositoryName name = RepositoryName.of("t");
    put(name.pointerKey(), NamePointer.to(none, 0).encode());
    assertThat(manager.list()).contains("t");
    assertThat(check(false)).as("it may be under way").isEmpty();

    List<NameCheck.Finding> found = check(true);

    assertThat(found).hasSize(1);
    assertThat(found.get(0).key()).isEqualTo(name.pointerKey());
    assertThat(found.get(0).problem()).contains(none, "never created");
    assertThat(found.get(0).repaired()).isTrue();
    assertThat(manager.list()).containsExactlyInAnyOrder("r", "s");
    assertThat(check(true)).isEmpty();
    create("t");
    isFoundByItsName();
  }

  @Test
  void name_of_a_repository_whose_manifest_is_lost_is_reported_and_left() throws Exception {
    byte[] manifest = bytes(ObjectNames.manifestKey(id));
    byte[] pointer = bytes(KEY);
    store.delete(List.of(ObjectNames.manifestKey(id)));
    for (int i = 0; i < 2; i++) {
      List<NameCheck.Finding> found = check(true);
      assertThat(found).hasSize(1);
      assertThat(found.get(0).key()).isEqualTo(KEY);
      assertThat(found.get(0).problem()).contains("restore " + ObjectNames.manifestKey(id));
      assertThat(found.get(0).repaired()).isFalse();
    }
    assertThat(bytes(KEY)).isEqualTo(pointer);
    put(ObjectNames.manifestKey(id), manifest);
    isFoundByItsName();
  }

  /** As versitygw 1.8 refuses it in a bucket with versioning, after a deletion. */
  @Test
  void name_that_a_store_does_not_create_delays_no_repair_of_another() throws Exception {
    String other = RepositoryName.of("s").pointerKey();
    store.delete(List.of(KEY, other));
    ObjectStore marked =
        new DelegatingObjectStore(store) {
          @Override
          public PutOutcome putIf(String key, byte[] body, Precondition precondition)
              throws IOException {
            return key.equals(KEY) ? new PutOutcome.Lost() : super.putIf(key, body, precondition);
          }
        };
    List<NameCheck.Finding> findings = new NameCheck(marked).run(true);
    assertThat(findings).hasSize(2);
    assertThat(findings.toString()).contains("the store refuses to create it");
    assertThat(store.stat(KEY)).isEmpty();
    assertThat(store.stat(other)).isPresent();
  }
}
