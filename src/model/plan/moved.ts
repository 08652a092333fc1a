/** Moves among bookkeeping notes. */

import type { NoteEntry } from "../recorded/journal.ts";
import type { Move } from "../value/address.ts";

export function movesIn(notes: readonly NoteEntry[]): readonly Move[] {
  return notes.flatMap(({ note }) => (note.what === "move" ? note.moves : []));
}
