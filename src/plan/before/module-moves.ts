/** `moved` entries of whole modules: where they lead, and which say what single ones say. */

import type { MovedEntry } from "../../model/plan/desired.ts";
import {
  type Address,
  formatAddress,
  type ModulePath,
  type ModuleStep,
  type Move,
  moduleText,
  parseAddress,
  parseModules,
  selects,
  toModulePath,
} from "../../model/value/address.ts";

/** Paths of a module with all that is in it. */
type ModuleMove = { readonly from: readonly ModuleStep[]; readonly to: readonly ModuleStep[] };

/** The innermost first; of those as deep, the one that names an instance. */
export function moduleMoves(moved: readonly MovedEntry[]): readonly ModuleMove[] {
  const moves = moved.flatMap((entry): readonly ModuleMove[] => {
    const [from, to] = [parseModules(entry.from), parseModules(entry.to)];
    return from === undefined || to === undefined ? [] : [{ from, to }];
  });
  const named = ({ from }: ModuleMove): number => Number(from.at(-1)?.key !== undefined);
  return moves.toSorted((a, b) => b.from.length - a.from.length || named(b) - named(a));
}

/** The path after the move, or undefined where the move is of another module. */
function movedPath(
  path: readonly ModuleStep[],
  { from, to }: ModuleMove,
): readonly ModuleStep[] | undefined {
  const last = from.length - 1;
  const inside = from.every((step, depth) => {
    const own = path[depth];
    if (own?.name !== step.name) return false;
    return own.key === step.key || (depth === last && step.key === undefined);
  });
  if (!inside) return undefined;
  const [taken, target] = [path[last], to.at(-1)];
  if (taken === undefined || target === undefined) return undefined;
  const carried = from[last]?.key === undefined ? taken.key : undefined;
  if (carried !== undefined && target.key !== undefined) return undefined;
  const end = carried === undefined ? target : { ...target, key: carried };
  return [...to.slice(0, -1), end, ...path.slice(from.length)];
}

/** Where the move of a module takes an address; undefined where the address is not in it. */
export function movedWith(address: Address, move: ModuleMove): Address | undefined {
  const parts = parseAddress(address);
  const path = parts === undefined ? undefined : movedPath(parts.modules, move);
  return parts === undefined || path === undefined
    ? undefined
    : formatAddress({ ...parts, modules: path });
}

/** Addresses in use, of instances. */
export type AddressesInUse = {
  readonly desired: ReadonlySet<Address>;
  readonly recorded: ReadonlySet<Address>;
};

/**
 * The same moves with one entry for each module that moves as a whole: all that is recorded in it
 * is among them, nothing is wanted there any more, and nothing is recorded where it goes.
 */
export function wholeModules(
  moves: readonly Move[],
  inUse: AddressesInUse,
): { readonly modules: readonly MovedEntry[]; readonly rest: readonly Move[] } {
  const modules: MovedEntry[] = [];
  const rest: Move[] = [];
  // Thousands of moves may belong to one module, whole or not.
  const judged = new Map<string, boolean>();
  for (const move of moves) {
    if (modules.some(({ from }) => selects(from, move.from))) continue;
    const entry = candidates(move.from, move.to).find((one) => {
      const key = `${one.from} ${one.to}`;
      const known = judged.get(key) ?? isWhole(one, moves, inUse);
      judged.set(key, known);
      return known;
    });
    if (entry === undefined) rest.push(move);
    else modules.push(entry);
  }
  return { modules, rest };
}

type ModuleEntry = { readonly from: ModulePath; readonly to: ModulePath };

/** Moves of modules that would make this one, the widest first. */
function candidates(from: Address, to: Address): readonly ModuleEntry[] {
  const [old, next] = [parseAddress(from)?.modules ?? [], parseAddress(to)?.modules ?? []];
  let common = 0;
  const isSame = (depth: number): boolean =>
    moduleText([...old.slice(old.length - depth, old.length - depth + 1)]) ===
    moduleText([...next.slice(next.length - depth, next.length - depth + 1)]);
  while (common < Math.min(old.length, next.length) && isSame(common + 1)) common += 1;
  const paths = [old, next].map((path) => path.slice(0, path.length - common));
  const keyless = paths.map((path) => [
    ...path.slice(0, -1),
    ...path.slice(-1).map(({ name }) => ({ name })),
  ]);
  return [keyless, paths].flatMap(([a = [], b = []]) => {
    const [first, second] = [toModulePath(moduleText(a)), toModulePath(moduleText(b))];
    return first === undefined || second === undefined ? [] : [{ from: first, to: second }];
  });
}

function isWhole(
  entry: ModuleEntry,
  moves: readonly Move[],
  { desired, recorded }: AddressesInUse,
): boolean {
  const [move] = moduleMoves([entry]);
  if (move === undefined) return false;
  const wanted = new Map(moves.map(({ from, to }) => [from, to]));
  if ([...desired].some((address) => selects(entry.from, address))) return false;
  if ([...recorded].some((address) => selects(entry.to, address))) return false;
  return [...recorded]
    .filter((address) => selects(entry.from, address))
    .every((address) => wanted.get(address) === movedWith(address, move));
}
