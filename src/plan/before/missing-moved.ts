/**
 * Resources whose objects are recorded at other addresses, without `moved` entries that say so:
 * which entries are missing? All that are needed are proposed at once, as one permutation, so that
 * nothing is left for the next plan to object to.
 */

import type { DesiredInstance, MovedEntry } from "../../model/plan/desired.ts";
import { currentByAddress } from "../../model/recorded/current.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import {
  type Address,
  type Move,
  parseAddress,
  resourceOf,
  type Selector,
} from "../../model/value/address.ts";
import { addressesText } from "../../model/value/address-text.ts";
import { problem } from "../codes.ts";

import type { PlanInput } from "../input.ts";
import { type AddressesInUse, wholeModules } from "./module-moves.ts";
import type { Selection } from "./selection.ts";

/** Resources that have at least one instance. */
type ResourcesInUse = {
  readonly desired: ReadonlySet<Address>;
  readonly recorded: ReadonlySet<Address>;
};

/**
 * Closes chains: an object that has to make room and that no address wants takes the address that
 * the first of its chain leaves. There it is what it is without the moves: replaced, or destroyed.
 */
export function asPermutation(
  displaced: readonly Move[],
  recorded: RecordedState,
): readonly Move[] {
  const next = new Map<Address, Address>();
  const arriving = new Set<Address>();
  for (const { from, to } of displaced) {
    if (next.has(from) || arriving.has(to)) continue;
    next.set(from, to);
    arriving.add(to);
  }
  const occupied = new Set(recorded.objects.map(({ address }) => address));
  const moves = [...next].map(([from, to]) => ({ from, to }));
  for (const start of next.keys()) {
    if (arriving.has(start)) continue;
    let last = start;
    for (let to = next.get(last); to !== undefined; to = next.get(last)) last = to;
    if (occupied.has(last)) moves.push({ from: last, to: start });
  }
  return moves;
}

/** One diagnostic for each address that wants an object recorded elsewhere; all say the same. */
export function missingMovedProblems(
  input: PlanInput,
  moves: readonly Move[],
  selection: Selection,
): readonly Diagnostic[] {
  const told = moves.length === 0 ? [] : connected(moves, selection);
  const records = currentByAddress(input.recorded.objects);
  const inUse = addressesInUse(input);
  const { modules, rest } = wholeModules(told, inUse);
  const entries = [...modules, ...wholeMoves(rest, resourcesInUse(inUse))];
  const text = {
    detail: detailOf(told, records, new Set(input.desired.instances.map((item) => item.address))),
    fix: `Add: moved: [${entries.map(entryText).join(", ")}]`,
  };
  const targets = new Set(told.map(({ to }) => to));
  const at = input.desired.instances.filter(({ address }) => targets.has(address));
  return at.map((instance: DesiredInstance) => problem(instance, "PLN003", text));
}

/** Moves of which the plan is about at least one address, with those that hang together with it. */
function connected(moves: readonly Move[], selection: Selection): readonly Move[] {
  if (selection.all) return moves;
  const wanted = new Set<Address>();
  for (const { from, to } of moves) if (selection.has(from) || selection.has(to)) wanted.add(from);
  const byFrom = new Map(moves.map((move) => [move.from, move]));
  const byTo = new Map(moves.map((move) => [move.to, move]));
  const stack = [...wanted];
  for (let from = stack.pop(); from !== undefined; from = stack.pop()) {
    const to = byFrom.get(from)?.to;
    for (const other of [to === undefined ? undefined : byFrom.get(to), byTo.get(from)]) {
      if (other === undefined || wanted.has(other.from)) continue;
      wanted.add(other.from);
      stack.push(other.from);
    }
  }
  return moves.filter(({ from }) => wanted.has(from));
}

function detailOf(
  moves: readonly Move[],
  records: ReadonlyMap<Address, RecordedObject>,
  desired: ReadonlySet<Address>,
): string {
  const [only] = moves;
  if (only !== undefined && moves.length === 1) {
    const identity = records.get(only.from)?.identity ?? "Its object";
    const why = desired.has(only.from) ? "wants another object now" : "left the configuration";
    return `${identity} is recorded as ${only.from}, which ${why}.`;
  }
  const holders = moves.map(({ from }) => from);
  const leaving = moves.filter(({ from }) => !desired.has(from)).map(({ from }) => from);
  const gone =
    leaving.length === 0 ? "" : ` Of these, ${addressesText(leaving)} left the configuration.`;
  return (
    `What these addresses mean is recorded at others: ${addressesText(holders)}.` +
    `${gone} Nothing is done to any of them.`
  );
}

function addressesInUse({ desired, recorded }: PlanInput): AddressesInUse {
  return {
    desired: new Set(desired.instances.map(({ address }) => address)),
    recorded: new Set(recorded.objects.map(({ address }) => address)),
  };
}

function resourcesInUse({ desired, recorded }: AddressesInUse): ResourcesInUse {
  return {
    desired: new Set([...desired].map(resourceOf)),
    recorded: new Set([...recorded].map(resourceOf)),
  };
}

/** One entry for a resource will do where keys agree and no other instance is in its way. */
function wholeMoves(moves: readonly Move[], inUse: ResourcesInUse): readonly Move[] {
  const whole = new Map<string, Move>();
  for (const move of moves) {
    const [from, to] = [resourceOf(move.from), resourceOf(move.to)];
    const key = parseAddress(move.from)?.key;
    const free = !inUse.desired.has(from) && !inUse.recorded.has(to);
    const together = free && key !== undefined && key === parseAddress(move.to)?.key;
    const kept = together ? { from, to } : move;
    whole.set(`${kept.from} ${kept.to}`, kept);
  }
  return [...whole.values()];
}

/** In YAML's single quotes, where only the quote itself has to be doubled. */
function entryText({ from, to }: MovedEntry): string {
  return `{ from: ${quoted(from)}, to: ${quoted(to)} }`;
}

function quoted(address: Selector): string {
  return `'${address.replaceAll("'", "''")}'`;
}
