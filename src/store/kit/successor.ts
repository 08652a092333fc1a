/** What must hold of a state before it takes the place of the snapshot, in whatever store. */

import type { RecordedState } from "../../model/recorded/recorded.ts";
import { verifyState } from "../../state/integrity.ts";
import { unsoundState } from "./problems.ts";

/** What is stored before. */
export type Stored = {
  /** The snapshot's head; undefined before the first compaction. */
  readonly head: Pick<RecordedState, "lineage" | "journal" | "handover"> | undefined;
  /** Position of the last entry. */
  readonly position: number;
};

/**
 * Throws `StoreError` when the state is unsound, and `Error` when it does not follow. Over a copy
 * that nobody goes on with, a later part of its history may come, of which it lacks entries; and
 * any history, where no run has recorded anything in it.
 */
export function checkSuccessor(
  location: string,
  { head, position }: Stored,
  state: RecordedState,
): void {
  const problems = verifyState(state);
  if (problems.length > 0) throw unsoundState(location, problems);
  if (head === undefined) return;
  const yields = head.handover !== undefined;
  if (yields && position === 0) return;
  const reason =
    state.journal.id !== head.journal.id || state.lineage !== head.lineage
      ? "of another history"
      : state.journal.position < head.journal.position
        ? "older than the snapshot"
        : state.journal.position > position && !yields
          ? "ahead of the journal"
          : undefined;
  if (reason !== undefined) throw new Error(`the state to be compacted is ${reason}`);
}
