/** Blocks without expressions, read at once and checked against their schema. */

import { fits } from "../../lib/schema/schema.ts";
import type { Report } from "../report.ts";
import { type BlockEntry, entryContext } from "./blocks.ts";
import { type BlockName, blockCheck, blockShape } from "./form/schemas.ts";
import { readNode } from "./read.ts";

/**
 * The block as a value of its generated type, or undefined after its problems were reported.
 * `definition` names the block in the schema; `T` is the type generated from it.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type
export function readStaticBlock<T>(
  entry: BlockEntry,
  definition: BlockName,
  report: Report,
): T | undefined {
  const value = readNode(
    entry.node,
    blockShape(definition),
    entryContext(entry, entry.name, report),
  );
  if (value?.kind !== "constant") return undefined;
  const plain: unknown = value.value;
  return fits<T>(blockCheck(definition), plain) ? plain : undefined;
}
