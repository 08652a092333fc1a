/**
 * Whether what was applied from a mirror fits the store, and what of it is still missing there.
 * Entries keep their positions, so a merge that was killed goes on where it was, and one that was
 * done is known. Pure.
 */

import type { JournalEntry } from "../../model/recorded/journal.ts";
import type { StoredState } from "../../model/recorded/store.ts";
import { encodeJournalEntry } from "../../state/form/journal-lines.ts";
import type { Fork } from "./head.ts";

export type Applied = {
  readonly fork: Fork;
  /** After the base. */
  readonly entries: readonly JournalEntry[];
  /** Of the runs from the mirror. */
  readonly runIds: readonly string[];
};

export type Merge =
  /** All of it is there already. */
  | { readonly kind: "done" }
  | { readonly kind: "missing"; readonly entries: readonly JournalEntry[] }
  /** `why` completes a sentence. */
  | { readonly kind: "refused"; readonly why: string };

/** `storedRuns` are the ids of runs that the store tells of. */
export function mergeOf(
  { fork, entries, runIds }: Applied,
  stored: StoredState,
  storedRuns: readonly string[],
): Merge {
  const { base } = fork;
  const { snapshot, journal } = stored;
  if (snapshot === undefined) return refused("nothing is recorded there any more");
  if (entries.length === 0) return { kind: "done" };
  if (snapshot.lineage !== base.lineage || snapshot.journal.id !== base.journal.id) {
    return refused(`another history is recorded there by now (lineage ${snapshot.lineage})`);
  }
  if (snapshot.handover !== undefined) {
    return refused(`it was brought to ${snapshot.handover.other} meanwhile`);
  }
  const contained = snapshot.journal.position;
  const position = contained + journal.length;
  if (position < base.journal.position) {
    return refused(`it ends at position ${position}, before what was applied`);
  }
  if (contained > base.journal.position) {
    // Entries of before are gone; the runs are recorded after the entries.
    const known = new Set(storedRuns);
    const isThere = runIds.length > 0 && runIds.every((id) => known.has(id));
    return isThere ? { kind: "done" } : refused(movedOn(position));
  }
  const toBase = journal.slice(0, base.journal.position - contained);
  const serial = snapshot.serial + toBase.filter(({ kind }) => kind === "run").length;
  if (serial !== base.serial) return refused("another state was put in its place (state push)");
  const after = journal.slice(toBase.length);
  const isSame = entries
    .slice(0, after.length)
    .every((entry, index) => isEqual(entry, after[index]));
  if (!isSame) return refused(movedOn(position));
  const missing = entries.slice(after.length);
  return missing.length === 0 ? { kind: "done" } : { kind: "missing", entries: missing };
}

function movedOn(position: number): string {
  return `others have recorded something there meanwhile, up to position ${position}`;
}

function refused(why: string): Merge {
  return { kind: "refused", why };
}

function isEqual(left: JournalEntry, right: JournalEntry | undefined): boolean {
  return right !== undefined && encodeJournalEntry(left) === encodeJournalEntry(right);
}
