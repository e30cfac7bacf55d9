// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation;

import static org.jgits3.simulation.Mutation.Answer.FIRST;
import static org.jgits3.simulation.Mutation.Answer.NOTHING;
import static org.jgits3.simulation.Mutation.Answer.SECOND;
import static org.jgits3.simulation.Mutation.Answer.TRUE;

import java.util.List;

/** The faults that the simulation must find, named after the cases of the models. */
final class Mutations {
  private static final String COMMITS = "CommitWorld";
  private static final String REFS = "RefsWorld";
  private static final String PACKS = "PackWorld";
  private static final String LOOP = "internal.commit.CommitLoop";
  private static final String FOLD = "internal.refs.transaction.Compaction";
  private static final String SHARED = "internal.refs.transaction.SharedRefs";
  private static final String LARGE = "internal.refs.transaction.LargeTransaction";
  private static final String CATALOG = "internal.catalog.RepositoryCatalog";
  private static final String RULES = "internal.commit.ListingRules";
  private static final String DROP = "internal.pack.GarbageDrop";
  private static final String OBJECTS = "internal.pack.S3ObjDatabase";
  private static final String QUARANTINE = "internal.pack.Quarantine";
  private static final String REPLACEMENT = "internal.pack.PackReplacement";
  private static final String SWEEP = "maintenance.Sweep";

  private Mutations() {}

  static List<Mutation> all() {
    return List.of(
        Mutation.of(COMMITS, "A0", 1, "a success is told before the write is made")
            .elsewhere(LOOP, "propose", "edited", "deliverFirst"),
        Mutation.of(COMMITS, "A0 own", 15, "a writer does not find its own write")
            .with(LOOP, "judge", "containsKey", NOTHING),
        Mutation.of(COMMITS, "A1", 3, "all batches have one nonce")
            .elsewhere(LOOP, "propose", "random", "sameName"),
        Mutation.of(COMMITS, "A2", 3, "any later write is taken for the own one")
            .with(LOOP, "judge", "containsKey", TRUE),
        Mutation.of(COMMITS, "A3", 1_242, "writers are pruned without a record")
            .elsewhere("internal.commit.WriterTable", "seal", "committed", "withoutPrunedTo"),
        Mutation.of(COMMITS, "A5", 324, "repository ids are not compared")
            .with(LOOP, "judge", "equals#1", TRUE),
        Mutation.of(
                COMMITS,
                "A14",
                2_002,
                "pruning makes writes unknown of which no attempt is in doubt")
            .with(LOOP, "judge", "inDoubt", TRUE),
        Mutation.of(COMMITS, "A14b", 1_158, "pruning makes no write unknown")
            .with("internal.commit.WriterTable", "tells", "prunedTo", NOTHING),
        Mutation.of(COMMITS, "A15b", 1_158, "a write in doubt is proposed anew")
            .with(LOOP, "judge", "inDoubt", NOTHING),
        Mutation.of(COMMITS, "A16", 316, "a write that was sent is reported as not attempted")
            .with(LOOP, "attempt", "send", TRUE),
        Mutation.of(
                COMMITS,
                "A17",
                142,
                "a name forgets its writers when it stands for another repository")
            .with("internal.commit.WriterTable", "seal", "ifPresent", NOTHING),
        Mutation.of(COMMITS, "B1", 18, "a refusal is told before the write of its batch is made")
            .elsewhere(LOOP, "propose", "edited", "refuseFirst"),
        Mutation.of(COMMITS, "B2", 2, "a refusal rests on a manifest that was read before")
            .with(LOOP, "refuse", "allMatch", TRUE),
        Mutation.of(COMMITS, "D11", 2_002, "generations of a name that is used again begin anew")
            .with(CATALOG, "create", "generation#1", NOTHING),
        Mutation.of(REFS, "C1", 4, "a fold clears the overlay")
            .elsewhere(FOLD, "commit", "differing", "noneDiffer"),
        Mutation.of(REFS, "C2", 20, "a fold removes the names that it folded")
            .elsewhere(FOLD, "commit", "differing", "unfoldedDiffer"),
        Mutation.of(REFS, "C3", 9, "a fold does not check its base")
            .with(FOLD, "commit", "sameTables", TRUE),
        Mutation.of(REFS, "L2", 469, "a fold into the base compares the base alone")
            .elsewhere(FOLD, "commit", "sameTables", "sameBase"),
        Mutation.of(REFS, "L3", 71, "a recent table has no marks of deleted refs")
            .with("internal.refs.table.RefFold", "<init>", "marked", FIRST),
        Mutation.of(REFS, "L4", 1_210, "a fold keeps in the overlay what differs from the base")
            .elsewhere("internal.refs.snapshot.NewSnapshot", "express", "value", "valueInBase"),
        Mutation.of(REFS, "C5a", 3_418, "a fold that gives up in doubt deletes its snapshot")
            .elsewhere(FOLD, "run", "commit", "foldGivesUp"),
        Mutation.of(REFS, "log", 49, "a fold of the log drops what was logged meanwhile")
            .elsewhere(
                "internal.refs.log.LogCompaction$Run", "replacedBy", "removeAll", "removeAll"),
        Mutation.of(REFS, "log base", 32, "a fold of the log does not check its base")
            .with("internal.refs.log.LogCompaction", "commit", "sameIn", TRUE),
        Mutation.of(REFS, "large", 51, "a large batch does not look at refs that others changed")
            .with(LARGE, "propose", "concernedBy", NOTHING),
        Mutation.of(REFS, "large base", 71, "a large batch does not check its base")
            .with(LARGE, "propose", "sameTables", TRUE),
        Mutation.of(REFS, "table", 129, "a change is made on refs of another snapshot")
            .with(SHARED, "propose", "sameTables", TRUE),
        Mutation.of(REFS, "torn", 4, "an atomic batch is applied one by one")
            .with("internal.refs.S3BatchRefUpdate", "apply", "oneByOne", TRUE),
        Mutation.of(REFS, "expected", 4, "an update does not compare the expected value")
            .with("internal.refs.S3RefUpdate", "doUpdate", "acceptable", TRUE),
        Mutation.of(REFS, "D1", 7, "a commit does not check the boundary")
            .with(RULES, "check", "checkNames", NOTHING),
        Mutation.of(REFS, "D2", 4_313, "a sweep sets the boundary instead of raising it")
            .with(RULES, "check", "notBelow", FIRST),
        Mutation.of(REFS, "D3", 75, "a sweep uses the manifest from before its boundary")
            .elsewhere(SWEEP, "run", "validate", "remember")
            .elsewhere(SWEEP, "run", "cached", "remembered"),
        Mutation.of(REFS, "boundary", 5, "a sweep deletes what was minted after its boundary")
            .with("maintenance.UnlistedObjects", "contains", "getAsLong", NOTHING),
        Mutation.of(PACKS, "D1 packs", 10, "a commit does not check the boundary")
            .with(RULES, "check", "checkNames", NOTHING),
        Mutation.of(PACKS, "D6", 5, "a collection writes the list of packs as a whole")
            .with(REPLACEMENT, "apply", "containsAll", TRUE)
            .elsewhere(REPLACEMENT, "apply", "packs", "nothing"),
        Mutation.of(PACKS, "E0", 259, "neither a collection nor a writer looks again")
            .with(DROP, "drop", "covers", TRUE)
            .with(SHARED, "propose", "check", NOTHING)
            .with(LARGE, "edit", "check", NOTHING),
        Mutation.of(PACKS, "E1", 314, "only a collection looks again")
            .with(SHARED, "propose", "check", NOTHING)
            .with(LARGE, "edit", "check", NOTHING),
        Mutation.of(PACKS, "E2", 259, "only a writer looks again")
            .with(DROP, "drop", "covers", TRUE),
        Mutation.of(PACKS, "E5", 259, "a collection looks at moved refs once")
            .elsewhere(DROP, "drop", "covers", "coversAfterOne"),
        Mutation.of(PACKS, "dropped", 314, "a collection does not note that it dropped objects")
            .with(DROP, "drop", "withDropped", FIRST),
        Mutation.of(PACKS, "push", 1, "refs of a push are committed without its pack")
            .with(QUARANTINE, "accompany", "listing", FIRST),
        Mutation.of(PACKS, "hook", 1_373, "what a hook inserts is listed without the pack below it")
            .with(OBJECTS, "commitPackImpl", "with", SECOND),
        Mutation.of(PACKS, "files", 1, "a pack is listed before its files are stored")
            .with(OBJECTS, "commitPackImpl", "writeHeld", NOTHING),
        Mutation.of(PACKS, "rename", 20, "a reserved name is taken for one that has the repository")
            .with(CATALOG, "finish", "isFor", NOTHING)
            .with(CATALOG, "finish", "reserved#1", NOTHING));
  }
}
