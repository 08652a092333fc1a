/** Entries of a plan with many changes: instances to which the same happens share one. */

import { plural } from "../../../lib/text.ts";
import type { Change } from "../../../model/plan/change.ts";
import type { Plan } from "../../../model/plan/plan.ts";
import { parseAddress } from "../../../model/value/address.ts";
import type { SchemaRegistry } from "../../../model/value/resource-schema.ts";
import { line, type StyledLine, span, textLine } from "../../text/styled-line.ts";
import type { Edit } from "../../text/value/attribute-text.ts";
import { hidden } from "../../text/value/attribute-text.ts";
import { inlineValue, keyText, sensitiveLiteral } from "../../text/value/value-text.ts";
import { changeEntries, powerOnlyEntries, shownChanges } from "./change-entries.ts";
import { type ChangeGroup, changeGroups, groupText } from "./change-groups.ts";
import {
  actionWords,
  attributeIndent,
  attributeLines,
  changeLines,
  powerLine,
  sentenceOf,
} from "./change-text.ts";

/** Changes that each have an entry of their own; with more of them, instances share entries. */
const singleMax = 30;
/** Fewer instances than this have an entry each all the same. */
const groupMin = 5;

export type PlanEntry = {
  readonly lines: readonly StyledLine[];
  /** The first of those that share it; undefined of a VM that is powered off and on alone. */
  readonly change?: Change;
  /** How many share it. */
  readonly count: number;
  /** The name that stands in the lines for all of them, with their keys. */
  readonly name?: string;
};

/** As `changeEntries`. Nothing is left out that is told there. */
export function planEntries(plan: Plan, types: SchemaRegistry): StyledLine[][] {
  return sharedEntries(plan, types).map(({ lines }) => [...lines]);
}

export function sharedEntries(plan: Plan, types: SchemaRegistry): readonly PlanEntry[] {
  const shown = shownChanges(plan);
  if (shown.length <= singleMax) {
    return changeEntries(plan, types).map((lines, index) => entryOf(lines, shown[index]));
  }
  const entries = changeGroups(plan, types).flatMap((group) =>
    group.members.length < groupMin
      ? group.members.map(({ change, context }) => entryOf(changeLines(change, context), change))
      : [sharedEntry(group)],
  );
  return [...entries, ...powerOnlyEntries(plan).map((lines) => entryOf(lines))];
}

function entryOf(lines: readonly StyledLine[], change?: Change): PlanEntry {
  return { lines, count: 1, ...(change === undefined ? {} : { change }) };
}

function sharedEntry(group: ChangeGroup): PlanEntry {
  const { members } = group;
  const [{ change }] = members;
  return { lines: groupLines(group), change, count: members.length, name: groupText(group) };
}

function groupLines(group: ChangeGroup): StyledLine[] {
  const { members, common, own, unchanged, reason, powerSteps } = group;
  const [{ change, context }] = members;
  const words = actionWords[change.action];
  const name = groupText(group);
  const object = change.objectKey === "current" ? "" : ` (${change.objectKey})`;
  const count = plural(members.length, "instance");
  const taken = context.adopted?.by === "adopt" ? "will be adopted" : "will be imported";
  const isTaken = change.action === "no-op" && context.adopted !== undefined;
  const what = isTaken ? taken : sentenceOf(change, words);
  const lines = [textLine(`  # ${name}${object}: ${count} ${what}`, "strong")];
  if (reason !== undefined) lines.push(textLine(`  # (because ${reason})`, "strong"));
  lines.push(line([span(words.symbol, words.tone), ` ${name}:`]));
  lines.push(...attributeLines(common));
  for (const { change: one, edits } of members) {
    if (own.length === 0) break;
    const key = JSON.stringify(parseAddress(one.address)?.key ?? "");
    const texts = edits.flatMap((edit) =>
      own.includes(edit.name ?? "") ? [`${keyText(edit.name ?? "")}: ${valueText(edit)}`] : [],
    );
    const indent = " ".repeat(attributeIndent + 2);
    lines.push(textLine(`${indent}[${key}] ${texts.join(", ")}`, undefined, attributeIndent + 6));
  }
  lines.push(...hidden(unchanged, "attribute", attributeIndent));
  return [...lines, ...powerLine(powerSteps)];
}

/** The whole of it, on one line. */
function valueText({ symbol, before, after, sensitive, template, forcesReplace }: Edit): string {
  const values =
    sensitive === true
      ? sensitiveLiteral
      : symbol === "~"
        ? `${inlineValue(before)} -> ${inlineValue(after)}`
        : inlineValue(symbol === "-" ? before : after);
  const expression = template === undefined || sensitive === true ? "" : ` # ${template}`;
  return `${values}${expression}${forcesReplace === true ? " # forces replacement" : ""}`;
}
