/** Moves among bookkeeping notes. */

import type { Move } from "./address.ts";
import type { NoteEntry } from "./journal.ts";

export function movesIn(notes: readonly NoteEntry[]): readonly Move[] {
  return notes.flatMap(({ note }) => (note.what === "move" ? note.moves : []));
}
