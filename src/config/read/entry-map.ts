/** Entries of blocks that are maps, such as an output or a check. */

import type { Report } from "../report.ts";
import { type BlockEntry, entryContext } from "./blocks.ts";
import type { Shape } from "./form/shape.ts";
import { readMembers } from "./read.ts";
import type { ConfigValue } from "./value.ts";

/** The members, or undefined after a problem was reported. `owner` is as in `output addresses`. */
export function readEntryMap(
  entry: BlockEntry,
  owner: string,
  shape: Shape,
  report: Report,
): ReadonlyMap<string, ConfigValue | undefined> | undefined {
  const { node, place } = entry;
  if (node.kind === "map") return readMembers(node, shape, entryContext(entry, owner, report));
  const detail = `The ${owner} takes a map with ${shape.required.join(" and ")}.`;
  const form = shape.required.map((name) => `${name}: …`).join(", ");
  report.add("CFG012", { detail, fix: `Write { ${form} }.`, place });
  return undefined;
}
