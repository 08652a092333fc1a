/** The `locals` block: named values in any order, ordered by what they need of each other. */

import type { RootReference } from "../../expressions/evaluate/references.ts";
import { topologicalOrder } from "../../graph/order.ts";
import { type BlockEntry, entryContext } from "../read/blocks.ts";
import { anyShape } from "../read/form/shape.ts";
import { readNode } from "../read/read.ts";
import { type ConfigValue, templatesOf } from "../read/value.ts";
import { type Place, placeText, type Report } from "../report.ts";
import { describeCycle } from "./cycle-text.ts";

export type Local = {
  readonly name: string;
  /** Undefined after a problem was reported. */
  readonly value: ConfigValue | undefined;
  readonly references: readonly RootReference[];
  /** Names of the locals its expressions use. */
  readonly uses: ReadonlySet<string>;
  readonly place: Place;
};

export type Locals = {
  /** Each after those it uses. Without those that stand in a circle. */
  readonly ordered: readonly Local[];
  readonly byName: ReadonlyMap<string, Local>;
  /** All that are declared, those with problems included. */
  readonly names: ReadonlySet<string>;
};

export function readLocals(entries: ReadonlyMap<string, BlockEntry>, report: Report): Locals {
  const locals = new Map<string, Local>();
  for (const [name, entry] of entries) {
    const value = readNode(entry.node, anyShape, entryContext(entry, `local ${name}`, report));
    const references = value === undefined ? [] : templatesOf(value).flatMap((t) => t.references);
    const uses = localsUsed(references, entries.keys());
    locals.set(name, { name, value, references, uses, place: entry.place });
  }
  const ordered = orderLocals(locals, report);
  const byName = new Map(ordered.map((local) => [local.name, local]));
  return { ordered, byName, names: new Set(entries.keys()) };
}

/** Names of the locals that references use; the root alone stands for all. */
function localsUsed(
  references: readonly RootReference[],
  all: Iterable<string>,
): ReadonlySet<string> {
  const used = new Set<string>();
  for (const reference of references) {
    if (reference.root !== "locals") continue;
    if (reference.name !== undefined) used.add(reference.name);
    else for (const name of all) used.add(name);
  }
  return used;
}

const cyclesMax = 10;

/** Orders the locals; circles are reported and left out, with whatever stands in them. */
function orderLocals(locals: ReadonlyMap<string, Local>, report: Report): readonly Local[] {
  let names = [...locals.keys()];
  for (let found = 0; ; found += 1) {
    const edges = names.flatMap((to) =>
      [...(locals.get(to)?.uses ?? [])].map((from) => ({ from, to })),
    );
    const result = topologicalOrder(names, edges);
    if ("order" in result) {
      return result.order.flatMap((name) => locals.get(name) ?? []);
    }
    const cycle = new Set(result.cycle);
    names = names.filter((name) => !cycle.has(name));
    if (found < cyclesMax) reportCycle(result.cycle, locals, report);
  }
}

function reportCycle(
  cycle: readonly string[],
  locals: ReadonlyMap<string, Local>,
  report: Report,
): void {
  const steps = cycle.toReversed().map((name) => {
    const place = locals.get(name)?.place;
    const where = place === undefined ? "" : placeText(place);
    return { name: `locals.${name}`, where, place };
  });
  const { detail, first } = describeCycle(steps);
  const fix = "Write one of them without the other.";
  report.add("CFG030", { detail, fix, place: first?.place });
}
