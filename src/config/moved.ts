/** The `moved` block: addresses that changed. */

import { topologicalOrder } from "../graph/order.ts";
import { type Address, parseAddress, resourceOf, toAddress } from "../model/address.ts";
import type { MovedBlock } from "../model/generated/config.ts";
import type { BlockEntry } from "./blocks.ts";
import type { InstancesByResource } from "./links.ts";
import type { Place, Report } from "./report.ts";
import { movedShape } from "./schemas.ts";
import { didYouMeanResource } from "./spelling.ts";
import { readStaticBlock } from "./static-block.ts";

export type Move = { readonly from: Address; readonly to: Address };

type Written = Move & { readonly place: Place };

/**
 * Reads and checks the moves. `instances` holds every declared resource, `broken` those unreadable.
 * What moved more than once has an entry for each step; they come out in the order of the steps,
 * wherever they are written.
 */
export function readMoved(
  entries: readonly BlockEntry[],
  instances: InstancesByResource,
  broken: ReadonlySet<string>,
  report: Report,
): readonly Move[] {
  const written = entries.flatMap((entry) => readMove(entry, report));
  const next = stepsAfter(written);
  const seen = new Set<Address>();
  const moves = written.filter(({ from, to, place }) => {
    const problem = seen.has(from)
      ? { detail: `${from} is moved twice.`, fix: "Keep one of the entries." }
      : moveProblem({ from, to }, instances, broken, next({ from, to }));
    seen.add(from);
    if (problem !== undefined) report.add("CFG038", { ...problem, place });
    return problem === undefined;
  });
  return inOrder(moves, report);
}

function readMove(entry: BlockEntry, report: Report): readonly Written[] {
  const block = readStaticBlock<MovedBlock>(entry, movedShape, "MovedBlock", report);
  if (block === undefined) return [];
  const [from, to] = [toAddress(block.from), toAddress(block.to)];
  const { place } = entry;
  if (from !== undefined && to !== undefined) return [{ from, to, place }];
  const wrong = JSON.stringify(from === undefined ? block.from : block.to);
  const fix = 'Write it like daemon_vm.web or daemon_vm.web["a"].';
  report.add("CFG038", { detail: `${wrong} is not an address.`, fix, place });
  return [];
}

/** The moves away from where a move leads: of that address, its resource or its instances. */
function stepsAfter(moves: readonly Move[]): (move: Move) => readonly Move[] {
  const byFrom = new Map<Address, Move>();
  const byResource = new Map<Address, Move[]>();
  for (const move of moves) {
    const { from } = move;
    byFrom.set(from, move);
    const resource = resourceOf(from);
    if (resource === from) continue;
    byResource.set(resource, [...(byResource.get(resource) ?? []), move]);
  }
  return ({ from, to }) => {
    const resource = resourceOf(to);
    const whole = resource === to ? undefined : byFrom.get(resource);
    // A whole resource takes its instances along, unless it is one object that gets a key.
    const takesAlong = whole !== undefined && resourceOf(whole.to) === whole.to;
    const all = [byFrom.get(to), takesAlong ? whole : undefined, ...(byResource.get(to) ?? [])];
    return all.flatMap((step) => (step === undefined || step.from === from ? [] : [step]));
  };
}

function inOrder(moves: readonly Written[], report: Report): readonly Move[] {
  const next = stepsAfter(moves);
  const edges = moves.flatMap((move) =>
    next(move).map(({ from }) => ({ from: move.from, to: from })),
  );
  const byFrom = new Map<string, Written>(moves.map((move) => [move.from, move]));
  const sorted = topologicalOrder([...byFrom.keys()], edges);
  if ("order" in sorted) {
    return sorted.order.flatMap((key) => {
      const move = byFrom.get(key);
      return move === undefined ? [] : [{ from: move.from, to: move.to }];
    });
  }
  const [first = ""] = sorted.cycle;
  const detail = `The moves lead in a circle: ${[...sorted.cycle, first].join(" → ")}.`;
  const place = byFrom.get(first)?.place;
  if (place !== undefined) report.add("CFG038", { detail, fix: "Remove one of them.", place });
  return [];
}

type MoveProblem = { readonly detail: string; readonly fix?: string | undefined };

function moveProblem(
  { from, to }: Move,
  instances: InstancesByResource,
  broken: ReadonlySet<string>,
  next: readonly Move[],
): MoveProblem | undefined {
  const [old, wanted] = [parseAddress(from), parseAddress(to)];
  if (old?.type !== wanted?.type) {
    return { detail: `${from} and ${to} are of different types; no object can change its type.` };
  }
  if (broken.has(resourceOf(to)) || broken.has(resourceOf(from))) return undefined;
  if (isStillThere(from, to, instances)) {
    const fix = "Remove the resource, or the entry.";
    return { detail: `${from} is still in the configuration.`, fix };
  }
  if (isDeclared(to, instances) || next.length > 0) return undefined;
  const fix = didYouMeanResource(to, instances.keys()) ?? "Correct or remove the entry.";
  return { detail: `${to} is not in the configuration.`, fix };
}

/**
 * The instance itself, or the whole resource unless it only got keys: `daemon_vm.web` may move to
 * `daemon_vm.web["a"]`.
 */
function isStillThere(from: Address, to: Address, instances: InstancesByResource): boolean {
  const resource = resourceOf(from);
  const all = instances.get(resource);
  if (all === undefined) return false;
  if (all.some((instance) => instance.address === from)) return true;
  return resource === from && resourceOf(to) !== from;
}

/** A whole resource counts as declared whatever its instances are called. */
function isDeclared(address: Address, instances: InstancesByResource): boolean {
  const resource = resourceOf(address);
  const all = instances.get(resource);
  if (all === undefined || resource === address) return all !== undefined;
  return all.some((instance) => instance.address === address);
}
