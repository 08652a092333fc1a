/** The `moved` block: addresses that changed, of resources, instances or whole modules. */

import type { MovedBlock } from "../../model/generated/config.ts";
import type { MovedEntry } from "../../model/plan/desired.ts";
import {
  isModulePath,
  type ModuleStep,
  moduleText,
  parseAddress,
  type Selector,
  toSelector,
} from "../../model/value/address.ts";
import type { BlockEntry } from "../read/blocks.ts";
import { readStaticBlock } from "../read/static-block.ts";
import type { Report } from "../report.ts";

/** Entries of one module; addresses in them are those within it. */
export type MovedEntries = {
  readonly entries: readonly BlockEntry[];
  /** Paths of the module's instances; the root's is empty. */
  readonly paths: readonly (readonly ModuleStep[])[];
  readonly report: Report;
};

/**
 * Reads and checks the moves. Whether an address is still, or no longer, in the configuration is no
 * question here: an entry may stay after it has done its work, whatever becomes of either end, and
 * what is recorded decides what is left to do.
 */
export function readMoved(modules: readonly MovedEntries[]): readonly MovedEntry[] {
  const seen = new Set<Selector>();
  return modules.flatMap(({ entries, paths, report }) =>
    entries.flatMap((entry) => {
      const move = readMove(entry, report);
      if (move === undefined) return [];
      const moves = paths.flatMap((path) => inModule(move, path));
      const twice = moves.find(({ from }) => seen.has(from));
      const problem =
        twice === undefined
          ? mismatch(move)
          : { detail: `${twice.from} is moved twice.`, fix: "Keep one of the entries." };
      for (const { from } of moves) seen.add(from);
      if (problem === undefined) return moves;
      report.add("CFG038", { ...problem, place: entry.place });
      return [];
    }),
  );
}

function readMove(entry: BlockEntry, report: Report): MovedEntry | undefined {
  const block = readStaticBlock<MovedBlock>(entry, "MovedBlock", report);
  if (block === undefined) return undefined;
  const [from, to] = [toSelector(block.from), toSelector(block.to)];
  if (from !== undefined && to !== undefined) return { from, to };
  const wrong = JSON.stringify(from === undefined ? block.from : block.to);
  const fix = 'Write it like daemon_vm.web, daemon_vm.web["a"] or module.lab.';
  report.add("CFG038", { detail: `${wrong} is not an address.`, fix, place: entry.place });
  return undefined;
}

function inModule({ from, to }: MovedEntry, path: readonly ModuleStep[]): readonly MovedEntry[] {
  if (path.length === 0) return [{ from, to }];
  const prefix = moduleText(path);
  const [whole, target] = [toSelector(`${prefix}.${from}`), toSelector(`${prefix}.${to}`)];
  return whole === undefined || target === undefined ? [] : [{ from: whole, to: target }];
}

function mismatch({ from, to }: MovedEntry): { readonly detail: string } | undefined {
  if (isModulePath(from) !== isModulePath(to)) {
    return { detail: `${from} and ${to} are a module and a resource; name two of one kind.` };
  }
  if (parseAddress(from)?.type === parseAddress(to)?.type) return undefined;
  return { detail: `${from} and ${to} are of different types; no object can change its type.` };
}
