/** `moved` entries: recorded addresses follow renamed resources, before anything is read. */

import { type Address, formatAddress, parseAddress, resourceOf } from "../model/address.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { NoteEntry } from "../model/journal.ts";
import type { RecordedState } from "../model/recorded.ts";
import { foldAll } from "../state/fold.ts";

export type Moves = {
  readonly recorded: RecordedState;
  readonly notes: readonly NoteEntry[];
  readonly diagnostics: readonly Diagnostic[];
};

/**
 * Applies each entry to the instance it names, or, when it names a resource, to all of its
 * instances. A target that is recorded already is an error; a source that is not is no work left.
 */
export function applyMoves(
  recorded: RecordedState,
  moved: readonly { readonly from: Address; readonly to: Address }[],
): Moves {
  const notes: NoteEntry[] = [];
  const diagnostics: Diagnostic[] = [];
  let state = recorded;
  for (const move of moved) {
    const taken = new Set(addressesOf(state));
    const steps: NoteEntry[] = [];
    for (const from of taken) {
      const to = targetOf(from, move);
      if (to === undefined || to === from) continue;
      if (taken.has(to)) {
        diagnostics.push(occupied(from, to));
        continue;
      }
      steps.push({ kind: "note", note: { what: "move", from, to } });
    }
    if (steps.length === 0) continue;
    // All instances in one fold: each fold costs as much as there is recorded.
    state = { ...foldAll(state, steps), journal: recorded.journal };
    notes.push(...steps);
  }
  return { recorded: state, notes, diagnostics };
}

function addressesOf(state: RecordedState): readonly Address[] {
  return [...state.objects, ...state.restores].map((item) => item.address);
}

function targetOf(
  address: Address,
  move: { readonly from: Address; readonly to: Address },
): Address | undefined {
  if (address === move.from) return move.to;
  if (resourceOf(address) !== move.from) return undefined;
  const key = parseAddress(address)?.key;
  const to = parseAddress(move.to);
  if (to === undefined || key === undefined || to.key !== undefined) return undefined;
  return formatAddress({ ...to, key });
}

function occupied(from: Address, to: Address): Diagnostic {
  return {
    severity: "error",
    code: "PLN004",
    summary: "Target of a move is recorded already",
    detail: `${from} cannot be moved to ${to}: recorded state holds an object at both addresses.`,
    fix: `Remove the moved entry, or forget one of them with: vmform state rm ${to}`,
    address: to,
  };
}
