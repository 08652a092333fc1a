/**
 * `vmform state mv`: recorded objects take another address, without touching them. What `moved`
 * says for every copy of a configuration, this does once.
 */

import { quotedWord } from "../../lib/shell-word.ts";
import type { MovedEntry } from "../../model/plan/desired.ts";
import { movesIn } from "../../model/plan/moved.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import {
  isModulePath,
  type Move,
  parseAddress,
  resourceOf,
  toModulePath,
} from "../../model/value/address.ts";
import { applyMoves } from "../../plan/before/moves.ts";
import { CommandError, type WorkspaceEnvironment } from "../environment.ts";
import type { WorkspaceOptions } from "../reading.ts";
import { managedAddress } from "../written-address.ts";
import { changeState, nothingRecordedAt, type StateChange } from "./state.ts";

/** A resource moves with all its instances. Returns what was moved; all of it, or nothing. */
export async function moveCommand(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  move: { readonly from: string; readonly to: string },
  timeoutMs: number,
): Promise<readonly Move[]> {
  const wanted = moveWanted(move);
  const lock = { operation: "state mv", timeoutMs };
  return changeState(environment, options, lock, (state) => moveObjects(state, wanted));
}

/** Two addresses, or two modules with all that is in them. Throws `CommandError`. */
function moveWanted({ from, to }: { readonly from: string; readonly to: string }): MovedEntry {
  const [old, next] = [toModulePath(from), toModulePath(to)];
  if (old !== undefined && next !== undefined) return { from: old, to: next };
  return { from: managedAddress(from), to: managedAddress(to) };
}

/** Throws `CommandError`. Pure. */
export function moveObjects(
  state: RecordedState,
  wanted: MovedEntry,
): StateChange<readonly Move[]> {
  const { from, to } = wanted;
  const [old, next] = [parseAddress(from), parseAddress(to)];
  if (from === to) throw new CommandError(`${from} is where it is already.`);
  if (old?.type !== next?.type) {
    throw new CommandError(
      `${from} and ${to} are of different types, and no object can change its type.`,
    );
  }
  const { notes, diagnostics } = applyMoves(state, [wanted]);
  const [occupied] = diagnostics;
  if (occupied !== undefined) {
    throw new CommandError(
      occupied.detail,
      "Forget the object that is to make room, with: " +
        `vmform state rm ${quotedWord(occupied.address ?? to)}`,
    );
  }
  const moves = movesIn(notes);
  if (moves.length === 0) throw nothingToMove(state, wanted);
  refuseOpen(state, moves);
  return { entries: notes, value: moves };
}

function nothingToMove(state: RecordedState, { from, to }: MovedEntry): CommandError {
  if (isModulePath(from)) {
    return new CommandError(
      `Nothing is recorded in ${from}.`,
      "List what is recorded with: vmform state list",
    );
  }
  const instances = state.objects.some(({ address }) => resourceOf(address) === from);
  if (instances) {
    const key = `${from} has several instances, which cannot all become ${to}.`;
    return new CommandError(key, "Name one of them, or the resource they are to belong to.");
  }
  return nothingRecordedAt(state, from);
}

/** The end of an operation is recorded at the address where it was begun. */
function refuseOpen(state: RecordedState, moves: readonly Move[]): void {
  const named = new Set(moves.flatMap(({ from, to }) => [from, to]));
  const open = state.open.find(
    ({ subject: { address }, record: { dependencies } }) =>
      named.has(address) || dependencies.some((dependency) => named.has(dependency)),
  );
  if (open === undefined) return;
  throw new CommandError(
    `The operation ${open.id} of an interrupted run is open; ` +
      `its end belongs to ${open.subject.address}.`,
    "Settle it first: vmform apply, or vmform state resolve.",
  );
}
