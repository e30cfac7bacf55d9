// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation;

import static org.jgits3.simulation.Mutation.Answer.FIRST;
import static org.jgits3.simulation.Mutation.Answer.NOTHING;
import static org.jgits3.simulation.Mutation.Answer.TRUE;

import java.util.List;

/**
 * The faults that the simulation must find, or a trace of a model, named after the cases of the
 * models, whose README says which have none.
 */
final class Mutations {
  private static final String COMMITS = "CommitWorld";
  private static final String NAMES = "NamesWorld";
  private static final String REFS = "RefsWorld";
  private static final String PACKS = "PackWorld";
  private static final String TRACES = "TraceWorld";
  private static final String LOOP = "internal.commit.CommitLoop";
  private static final String FOLD = "internal.refs.transaction.Compaction";
  private static final String SHARED = "internal.refs.transaction.SharedRefs";
  private static final String LARGE = "internal.refs.transaction.LargeTransaction";
  private static final String BIND = "internal.catalog.Bind";
  private static final String POINTER = "internal.catalog.PointerFile";
  private static final String CATALOG = "internal.catalog.RepositoryCatalog";
  private static final String RULES = "internal.commit.ListingRules";
  private static final String DROP = "internal.pack.GarbageDrop";
  private static final String REPLACEMENT = "internal.pack.PackReplacement";
  private static final String SWEEP = "maintenance.Sweep";

  private Mutations() {}

  /** Those that random runs find. */
  static List<Mutation> ofSimulation() {
    return all().stream().filter(each -> !each.world().equals(TRACES)).toList();
  }

  static List<Mutation> all() {
    return List.of(
        Mutation.of(COMMITS, "A0", "a success is told before the write is made")
            .elsewhere(LOOP, "propose", "edited", "deliverFirst"),
        Mutation.of(COMMITS, "A0 own", "a writer does not find its own write")
            .with(LOOP, "judge", "containsKey", NOTHING),
        Mutation.of(COMMITS, "A1", "all batches have one nonce")
            .elsewhere(LOOP, "propose", "random", "sameName"),
        Mutation.of(COMMITS, "A2", "any later write is taken for the own one")
            .with(LOOP, "judge", "containsKey", TRUE),
        Mutation.of(COMMITS, "A3", "writers are pruned without a record")
            .elsewhere("internal.commit.CommitBatch", "seal", "committed", "withoutPrunedTo"),
        Mutation.of(TRACES, "A3b", "the same, for an update of any value")
            .elsewhere("internal.commit.CommitBatch", "seal", "committed", "withoutPrunedTo"),
        Mutation.of(COMMITS, "A14", "pruning makes writes unknown of which no attempt is in doubt")
            .with(LOOP, "judge", "inDoubt", TRUE),
        Mutation.of(COMMITS, "A14b", "pruning makes no write unknown")
            .with("internal.commit.CommitBatch", "isRuledOut", "prunedTo", NOTHING),
        Mutation.of(COMMITS, "A15b", "a write in doubt is proposed anew")
            .with(LOOP, "judge", "inDoubt", NOTHING),
        Mutation.of(COMMITS, "A16", "a write that was sent is reported as not attempted")
            .with(LOOP, "propose", "send", TRUE),
        Mutation.of(TRACES, "A16b", "the same, and no lack of an answer makes it doubtful")
            .with(LOOP, "propose", "send", TRUE)
            .with(LOOP, "attempt", "forEach", NOTHING),
        Mutation.of(COMMITS, "B1", "a refusal is told before the write of its batch is made")
            .elsewhere(LOOP, "propose", "edited", "refuseFirst"),
        Mutation.of(COMMITS, "B2", "a refusal rests on a manifest that was read before")
            .with(LOOP, "refuse", "allMatch", TRUE),
        Mutation.of(NAMES, "E-m1", "a pointer under way is not fenced")
            .with(BIND, "isLeft", "epoch#2", NOTHING),
        Mutation.of(NAMES, "E-m2", "the second write does not check the epoch")
            .elsewhere(BIND, "commit", "commit", "commitInAnyEpoch"),
        Mutation.of(NAMES, "E-m3", "an own old pointer is not written anew")
            .elsewhere(BIND, "takePointer", "nonce", "target"),
        Mutation.of(NAMES, "E-m4", "a pointer is written without a precondition")
            .elsewhere(POINTER, "replace", "decide", "replaceAny"),
        Mutation.of(NAMES, "E-m5", "a pointer is taken whatever it leads to")
            .with(BIND, "takePointer", "checkFree", NOTHING),
        Mutation.of(NAMES, "E-m6", "a pointer to a missing manifest counts as free")
            .elsewhere(BIND, "checkFree", "read", "readOrFenced"),
        Mutation.of(NAMES, "E-m7", "a refused commit is not looked for")
            .with(LOOP, "judge", "containsKey", NOTHING),
        Mutation.of(NAMES, "E-m8", "a reader goes by the pointer alone")
            .elsewhere("internal.commit.ManifestFile", "accept", "filter", "unfiltered"),
        Mutation.of(NAMES, "E-m9", "dead pointers are deleted")
            .elsewhere(POINTER, "tidy", "attempt", "deletePointer"),
        Mutation.of(NAMES, "E-m17", "a fork does not look at its template again")
            .with(CATALOG, "fork", "isPresent", TRUE),
        Mutation.of(NAMES, "E-m18", "it looks before its second write")
            .elsewhere(CATALOG, "fork", "create", "createAfterLook")
            .elsewhere(CATALOG, "fork", "readAgain", "templateBefore"),
        Mutation.of(NAMES, "E-m19", "it looks for its template by the name")
            .elsewhere(CATALOG, "fork", "readAgain", "templateByName"),
        Mutation.of(NAMES, "E-m20", "a sweep of a deleted template does not look for forks")
            .with(SWEEP, "runDeleted", "mayHaveForks", NOTHING),
        Mutation.of(NAMES, "E-m21", "it looks for forks before it reads the tombstone")
            .elsewhere("S3RepositoryManager", "sweepById", "read", "readAfterForks")
            .elsewhere(SWEEP, "runDeleted", "of", "forksBefore"),
        Mutation.of(NAMES, "E-m22", "it looks for forks by the names")
            .elsewhere("internal.fork.Forks", "of", "readAll", "readAllByName"),
        Mutation.of(NAMES, "E-m23", "a sweep of what an import left commits nothing")
            .with(SWEEP, "runImporting", "commit", NOTHING)
            .with(SWEEP, "runImporting", "booleanValue", TRUE)
            .elsewhere(SWEEP, "runImporting", "read", "tombstoneOf"),
        Mutation.of(NAMES, "E-m24", "it deletes the objects though its commit was refused")
            .elsewhere(SWEEP, "runImporting", "commit", "commitAnyhow")
            .elsewhere(SWEEP, "runImporting", "read", "tombstoneOf"),
        Mutation.of(NAMES, "E-m25", "entries of writers are dropped without a record")
            .elsewhere("internal.commit.CommitBatch", "seal", "committed", "withoutPrunedTo"),
        Mutation.of(NAMES, "E-m29", "a repeated deletion does not look at the name again")
            .elsewhere(CATALOG, "delete", "commit", "deleteByAnyName"),
        Mutation.of(NAMES, "E-m38", "a pointer is marked free whatever its epoch")
            .with(POINTER, "tidy", "epoch", NOTHING),
        Mutation.of(NAMES, "E-m39", "a pointer under way counts as taken")
            .elsewhere(BIND, "checkFree", "pause", "taken"),
        Mutation.of(TRACES, "E-m41", "a name is marked free, and no bind under way is fenced")
            .with(BIND, "release", "checkFree", NOTHING),
        Mutation.of(REFS, "C1", "a fold clears the overlay")
            .elsewhere(FOLD, "commit", "differing", "noneDiffer"),
        Mutation.of(REFS, "C2", "a fold removes the names that it folded")
            .elsewhere(FOLD, "commit", "differing", "unfoldedDiffer"),
        Mutation.of(REFS, "C3", "a fold does not check its base")
            .with(FOLD, "commit", "sameTables", TRUE),
        Mutation.of(REFS, "L2", "a fold into the base compares the base alone")
            .elsewhere(FOLD, "commit", "sameTables", "sameBase"),
        Mutation.of(REFS, "L3", "a recent table has no marks of deleted refs")
            .with("internal.refs.table.RefFold", "<init>", "marked", FIRST),
        Mutation.of(REFS, "L4", "a fold keeps in the overlay what differs from the base")
            .elsewhere("internal.refs.snapshot.NewSnapshot", "express", "value", "valueInBase"),
        Mutation.of(REFS, "C5a", "a fold that gives up in doubt deletes its snapshot")
            .elsewhere("internal.commit.Replacement", "commit", "commit", "foldGivesUp"),
        Mutation.of(REFS, "log", "a fold of the log drops what was logged meanwhile")
            .elsewhere(
                "internal.refs.log.LogCompaction$Run", "replacedBy", "removeAll", "removeAll"),
        Mutation.of(REFS, "log base", "a fold of the log does not check its base")
            .with("internal.refs.log.LogCompaction", "commit", "sameIn", TRUE),
        Mutation.of(REFS, "large", "a large batch does not look at refs that others changed")
            .with(LARGE, "propose", "concernedBy", NOTHING),
        Mutation.of(REFS, "large base", "a large batch does not check its base")
            .with(LARGE, "propose", "sameTables", TRUE),
        Mutation.of(REFS, "large L2", "a large batch compares the base alone")
            .elsewhere(LARGE, "propose", "sameTables", "sameBase"),
        Mutation.of(REFS, "table", "a change is made on refs of another snapshot")
            .with(SHARED, "propose", "sameTables", TRUE),
        Mutation.of(REFS, "table L2", "it is made where the base alone is the same")
            .elsewhere(SHARED, "propose", "sameTables", "sameBase"),
        Mutation.of(REFS, "torn", "an atomic batch is applied one by one")
            .with("internal.refs.S3BatchRefUpdate", "apply", "oneByOne", TRUE),
        Mutation.of(REFS, "expected", "an update does not compare the expected value")
            .with("internal.refs.S3RefUpdate", "doUpdate", "acceptable", TRUE),
        Mutation.of(REFS, "D1", "a commit does not check the boundary")
            .with(RULES, "check", "checkNames", NOTHING),
        Mutation.of(REFS, "D2", "a sweep sets the boundary instead of raising it")
            .with(RULES, "check", "notBelow", FIRST),
        Mutation.of(REFS, "D3", "a sweep uses the manifest from before its boundary")
            .elsewhere(SWEEP, "run", "validate", "remember")
            .elsewhere(SWEEP, "run", "cached", "remembered"),
        Mutation.of(REFS, "boundary", "a sweep deletes what was minted after its boundary")
            .with("maintenance.UnlistedObjects", "contains", "getAsLong", NOTHING),
        Mutation.of(PACKS, "D1 packs", "a commit does not check the boundary")
            .with(RULES, "check", "checkNames", NOTHING),
        Mutation.of(PACKS, "D6", "a collection writes the list of packs as a whole")
            .with(REPLACEMENT, "apply", "containsAll", TRUE)
            .elsewhere(REPLACEMENT, "apply", "packs", "nothing"),
        Mutation.of(PACKS, "E0", "neither a collection nor a writer looks again")
            .with(DROP, "drop", "covers", TRUE)
            .with(SHARED, "propose", "checkDropped", NOTHING)
            .with(LARGE, "edit", "checkDropped", NOTHING),
        Mutation.of(PACKS, "E1", "only a collection looks again")
            .with(SHARED, "propose", "checkDropped", NOTHING)
            .with(LARGE, "edit", "checkDropped", NOTHING),
        Mutation.of(PACKS, "E2", "only a writer looks again").with(DROP, "drop", "covers", TRUE),
        Mutation.of(PACKS, "E5", "a collection looks at moved refs once")
            .elsewhere(DROP, "drop", "covers", "coversAfterOne"),
        Mutation.of(PACKS, "dropped", "a collection does not note that it dropped objects")
            .with(DROP, "drop", "withDropped", FIRST),
        Mutation.of(PACKS, "push", "refs of a push are committed without its pack")
            .with("internal.commit.SubmittedChange", "propose", "list", FIRST),
        Mutation.of(PACKS, "hook", "what a hook inserts is listed without the pack below it")
            .elsewhere("internal.pack.SharedPacks", "commit", "listedWith", "listedAlone"),
        Mutation.of(PACKS, "files", "a pack is listed before its files are stored")
            .with("internal.pack.NewPacks", "complete", "writeHeld", NOTHING));
  }
}
