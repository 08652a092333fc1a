/** The `moved` block: addresses that changed. */

import type { MovedBlock } from "../../model/generated/config.ts";
import { type Address, type Move, parseAddress, toAddress } from "../../model/value/address.ts";
import type { BlockEntry } from "../read/blocks.ts";
import { movedShape } from "../read/schemas.ts";
import { readStaticBlock } from "../read/static-block.ts";
import type { Report } from "../report.ts";

/**
 * Reads and checks the moves. Whether an address is still, or no longer, in the configuration is no
 * question here: an entry may stay after it has done its work, whatever becomes of either end, and
 * what is recorded decides what is left to do.
 */
export function readMoved(entries: readonly BlockEntry[], report: Report): readonly Move[] {
  const seen = new Set<Address>();
  return entries.flatMap((entry) => {
    const move = readMove(entry, report);
    if (move === undefined) return [];
    const problem = seen.has(move.from)
      ? { detail: `${move.from} is moved twice.`, fix: "Keep one of the entries." }
      : typeProblem(move);
    seen.add(move.from);
    if (problem === undefined) return [move];
    report.add("CFG038", { ...problem, place: entry.place });
    return [];
  });
}

function readMove(entry: BlockEntry, report: Report): Move | undefined {
  const block = readStaticBlock<MovedBlock>(entry, movedShape, "MovedBlock", report);
  if (block === undefined) return undefined;
  const [from, to] = [toAddress(block.from), toAddress(block.to)];
  if (from !== undefined && to !== undefined) return { from, to };
  const wrong = JSON.stringify(from === undefined ? block.from : block.to);
  const fix = 'Write it like daemon_vm.web or daemon_vm.web["a"].';
  report.add("CFG038", { detail: `${wrong} is not an address.`, fix, place: entry.place });
  return undefined;
}

function typeProblem({ from, to }: Move): { readonly detail: string } | undefined {
  if (parseAddress(from)?.type === parseAddress(to)?.type) return undefined;
  return { detail: `${from} and ${to} are of different types; no object can change its type.` };
}
