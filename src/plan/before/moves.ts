/**
 * `moved` entries: recorded addresses follow renamed resources, before anything is read. All
 * entries are one permutation: each object goes from where it is recorded to where the entries
 * lead, at once, so chains, swaps and shifted positions can be written down. An entry that has done
 * its work does nothing, also when its source is in use again: an object that is the one its
 * address wants stays.
 */

import { quotedWord } from "../../lib/shell-word.ts";
import type { Desired, MovedEntry } from "../../model/plan/desired.ts";
import type { TypeRegistry } from "../../model/provider/provider.ts";
import type { NoteEntry } from "../../model/recorded/journal.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import {
  type Address,
  formatAddress,
  isModulePath,
  type Move,
  parseAddress,
  resourceOf,
  type Selector,
} from "../../model/value/address.ts";
import { foldAll } from "../../state/fold.ts";
import { problem, warning } from "../codes.ts";
import { type Meaning, meaningOf } from "./meant.ts";
import { moduleMoves, movedWith } from "./module-moves.ts";

export type Moves = {
  readonly recorded: RecordedState;
  readonly notes: readonly NoteEntry[];
  readonly diagnostics: readonly Diagnostic[];
};

/** What the configuration wants; absent where entries are followed without asking it. */
export type MoveContext = { readonly desired: Desired; readonly types: TypeRegistry };

/**
 * Moves what is due. Round by round, since content is known by its container: once the containers
 * have moved, their content is judged anew. No object moves twice.
 */
export function applyMoves(
  recorded: RecordedState,
  moved: readonly MovedEntry[],
  context?: MoveContext,
): Moves {
  const notes: NoteEntry[] = [];
  const diagnostics: Diagnostic[] = [];
  let state = recorded;
  if (moved.length === 0) return { recorded, notes, diagnostics: [] };
  const next = stepsOf(moved);
  const settled = new Set<Address>();
  for (;;) {
    const round = movesOf(state, { next, settled, meaning: meaningOf(state, context) });
    const { moves } = round;
    diagnostics.push(...round.diagnostics.filter(isNewsIn(diagnostics)));
    if (moves.length === 0) return { recorded: state, notes, diagnostics };
    const note: NoteEntry = { kind: "note", note: { what: "move", moves } };
    // All instances in one fold: each fold costs as much as there is recorded.
    state = { ...foldAll(state, [note]), journal: recorded.journal };
    notes.push(note);
    for (const { to } of moves) settled.add(to);
  }
}

type Round = {
  readonly next: (address: Address) => Address | undefined;
  /** Addresses whose object has been moved to them. */
  readonly settled: ReadonlySet<Address>;
  readonly meaning: Meaning;
};

type RoundResult = {
  readonly moves: readonly Move[];
  readonly diagnostics: readonly Diagnostic[];
};

/** Where each recorded address leads; what would meet another object there stays. */
function movesOf(state: RecordedState, round: Round): RoundResult {
  const occupants = new Map<Address, RecordedObject | undefined>();
  for (const { address } of state.restores) occupants.set(address, undefined);
  for (const object of state.objects) {
    const isCurrent = object.objectKey === "current";
    if (isCurrent || !occupants.has(object.address)) {
      occupants.set(object.address, isCurrent ? object : undefined);
    }
  }
  const leading = new Map<Address, Address>();
  const diagnostics: Diagnostic[] = [];
  for (const [from, object] of occupants) {
    const to = destinationOf(from, object, occupants, round);
    if (to !== undefined && to !== from) leading.set(from, to);
  }
  // What stays makes those stay that lead to it, so this is repeated until nothing changes.
  for (let blocked = true; blocked; ) {
    blocked = false;
    const arriving = new Set<Address>();
    for (const [from, to] of leading) {
      const free = (!occupants.has(to) || leading.has(to)) && !arriving.has(to);
      arriving.add(to);
      if (free) continue;
      leading.delete(from);
      blocked = true;
      if (!leadsBack(from, round.next)) diagnostics.push(occupied(from, to));
    }
  }
  const moves = [...leading].map(([from, to]) => ({ from, to }));
  for (const move of moves) {
    if (!round.meaning.isOutside(move.to) || leadsBack(move.from, round.next)) continue;
    diagnostics.push(leadsOut(move));
  }
  return { moves, diagnostics };
}

/**
 * Follows the entries from an address: to the address that wants just this object, else to the
 * first that is declared or recorded, else to the last. Undefined where nothing leads away, or
 * where the object is the one that is wanted.
 */
function destinationOf(
  from: Address,
  object: RecordedObject | undefined,
  occupants: ReadonlyMap<Address, unknown>,
  { next, settled, meaning }: Round,
): Address | undefined {
  if (settled.has(from) || next(from) === undefined) return undefined;
  if (meaning.isDeclared(from) && (object === undefined || meaning.stays(from, object))) {
    return undefined;
  }
  const way: Address[] = [];
  const seen = new Set<Address>([from]);
  for (let to = next(from); to !== undefined && !seen.has(to); to = next(to)) {
    way.push(to);
    seen.add(to);
  }
  return (
    way.find((to) => object !== undefined && meaning.means(to, object)) ??
    way.find((to) => meaning.isDeclared(to) || occupants.has(to)) ??
    way.at(-1)
  );
}

/**
 * The entry of the instance itself, else that of its resource, which takes its instances along,
 * else that of the innermost module it is in, which takes all along.
 */
function stepsOf(moved: readonly MovedEntry[]): (address: Address) => Address | undefined {
  const byFrom = new Map<Selector, Selector>(moved.map(({ from, to }) => [from, to]));
  const modules = moduleMoves(moved);
  return (address) => {
    const own = byFrom.get(address);
    if (own !== undefined && !isModulePath(own)) return own;
    const whole = parseAddress(byFrom.get(resourceOf(address)) ?? "");
    const parts = parseAddress(address);
    if (parts === undefined) return undefined;
    const { key } = parts;
    if (whole !== undefined && key !== undefined && whole.key === undefined) {
      return formatAddress({ ...whole, key });
    }
    for (const move of modules) {
      const next = movedWith(address, move);
      if (next !== undefined) return next;
    }
    return undefined;
  };
}

/** The entries lead back to it: what stands there has come by them. */
function leadsBack(from: Address, next: (address: Address) => Address | undefined): boolean {
  const seen = new Set<Address>();
  let at = next(from);
  while (at !== undefined && at !== from && !seen.has(at)) {
    seen.add(at);
    at = next(at);
  }
  return at === from;
}

/** What stays is in the way again in each round. */
function isNewsIn(told: readonly Diagnostic[]): (item: Diagnostic) => boolean {
  const known = new Set(told.map(({ detail }) => detail));
  return ({ detail }) => !known.has(detail);
}

function leadsOut({ from, to }: Move): Diagnostic {
  return warning({ address: to }, "PLN045", {
    detail: `${from} moves to ${to}, which is not in the configuration.`,
    fix: "Where it was meant to stay, correct the entry.",
  });
}

function occupied(from: Address, to: Address): Diagnostic {
  return problem({ address: to }, "PLN004", {
    detail: `${from} cannot be moved to ${to}: recorded state holds an object at both addresses.`,
    fix:
      "Say with another moved entry where the second one belongs, or forget it with: " +
      `vmform state rm ${quotedWord(to)}`,
  });
}
