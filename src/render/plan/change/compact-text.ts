/**
 * Changes on one line each: instances to which the same happens share it. Every address and every
 * attribute that changes is named; long values are only measured.
 */

import type { DriftNotice, Plan } from "../../../model/plan/plan.ts";
import { parseAddress } from "../../../model/value/address.ts";
import type { SchemaRegistry } from "../../../model/value/resource-schema.ts";
import { isList, isMap, type PlannedValue } from "../../../model/value/value.ts";
import { line, type StyledLine, span, textLine } from "../../text/styled-line.ts";
import { type Edit, editOf } from "../../text/value/attribute-text.ts";
import { itemEdits, lineChanges, memberEdits } from "../../text/value/differences.ts";
import { isSensitive } from "../../text/value/sensitivity.ts";
import { inlineValue, keyText, sensitiveLiteral } from "../../text/value/value-text.ts";
import { powerOnly } from "./change-entries.ts";
import { type ChangeGroup, changeGroups, groupText } from "./change-groups.ts";
import { actionWords } from "./change-text.ts";

/** Values longer than this are told by their size. */
const valueColumnsMax = 40;

/** A line for each change or group of them. */
export function compactEntries(plan: Plan, types: SchemaRegistry): StyledLine[] {
  const totals = instanceTotals(plan);
  const lines = changeGroups(plan, types).map((group) => groupLine(group, totals));
  const powered = [...powerOnly(plan)].map(([address, steps]) =>
    textLine(`    ${address}: power only; steps: ${steps}`, undefined, 6),
  );
  return [...lines, ...powered];
}

/** A line for each object that has changed outside. */
export function compactDrift(drift: readonly DriftNotice[], types: SchemaRegistry): StyledLine[] {
  return drift.map(({ address, status, another, attributes }) => {
    if (status === "missing") {
      const what = another === true ? "is another object now" : "has been deleted";
      return line([span("  -", "delete"), ` ${address}: ${what}`], 6);
    }
    const type = parseAddress(address)?.type ?? "";
    const texts = attributes.map(({ attribute, recorded, observed }) => {
      const edit = editOf(recorded, observed, attribute);
      return editText({ ...edit, sensitive: isSensitive(types, type, attribute) });
    });
    return line([span("  ~", "change"), ` ${address}: ${texts.join(", ")}`], 6);
  });
}

type Totals = ReadonlyMap<string, number>;

/** Objects of each resource that the plan knows. */
function instanceTotals({ changes }: Plan): Totals {
  const totals = new Map<string, number>();
  for (const { address, objectKey } of changes) {
    if (objectKey !== "current") continue;
    const resource = resourceText(address);
    totals.set(resource, (totals.get(resource) ?? 0) + 1);
  }
  return totals;
}

function resourceText(address: string): string {
  const parts = parseAddress(address);
  return parts?.key === undefined ? address : address.slice(0, address.lastIndexOf("["));
}

function groupLine(group: ChangeGroup, totals: Totals): StyledLine {
  const { members, common, own, reason, powerSteps } = group;
  const [{ change }] = members;
  const { symbol, tone } = actionWords[change.action];
  const { length } = members;
  const total = totals.get(resourceText(change.address)) ?? length;
  const count = length === 1 ? "" : ` (${length < total ? `${length} of ` : ""}${total})`;
  const object = change.objectKey === "current" ? "" : ` (${change.objectKey})`;
  const isEnd = change.action === "delete" || change.action === "forget";
  // Of what only joins recorded state, no attribute changes.
  const isTold = (name: string): boolean =>
    !isEnd && (change.action !== "no-op" || name === "adopt" || name === "import");
  const texts = [
    ...common.filter(({ name = "" }) => isTold(name)).map(editText),
    ...own.filter(isTold).map((name) => ownText(name, group)),
  ];
  const remarks = [
    ...(texts.length === 0 ? [] : [texts.join(", ")]),
    ...(reason === undefined ? [] : [`because ${reason}`]),
    ...(powerSteps === undefined ? [] : [`steps: ${powerSteps}`]),
  ];
  const what = remarks.length === 0 ? "" : `: ${remarks.join("; ")}`;
  return line([span(symbol, tone), ` ${groupText(group)}${object}${count}${what}`], 6);
}

/** What each has for itself: that of the first and of the last. */
function ownText(name: string, { members }: ChangeGroup): string {
  const [first, last] = [members[0], members.at(-1) ?? members[0]].map(({ edits }) =>
    edits.find((edit) => edit.name === name),
  );
  if (first === undefined || last === undefined) return keyText(name);
  return `${keyText(name)} ${changeText(first)} … ${changeText(last)}${forcedText(last)}`;
}

/** `tag "a" -> "b"`, `sizes +1 -2 items`; what differs is told even where it is only measured. */
function editText(edit: Edit): string {
  return `${keyText(edit.name ?? "")} ${changeText(edit)}${forcedText(edit)}`;
}

function forcedText({ forcesReplace }: Edit): string {
  return forcesReplace === true ? " (forces replacement)" : "";
}

function changeText({ symbol, before, after, sensitive }: Edit): string {
  if (sensitive === true) return sensitiveLiteral;
  if (symbol === "~") return differenceText(before, after);
  return symbol === "-" ? `${shortValue(before)} -> null` : shortValue(after);
}

function differenceText(before: PlannedValue, after: PlannedValue): string {
  if (typeof before === "string" && typeof after === "string" && (before + after).includes("\n")) {
    const parts = lineChanges(`${before}\n`, `${after}\n`);
    const count = (symbol: string): number =>
      parts
        .filter((part) => part.symbol === symbol)
        .reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
    return `+${count("+")} -${count("-")} lines`;
  }
  if (isList(before) && isList(after)) {
    const { items } = itemEdits(before, after);
    const count = (kind: string): number => items.filter((item) => item.kind === kind).length;
    const others = count("moved") + count("changed");
    return `+${count("come")} -${count("gone")}${others > 0 ? ` ~${others}` : ""} items`;
  }
  if (isMap(before) && isMap(after)) {
    return `at ${memberEdits(before, after).names.map(keyText).join(", ")}`;
  }
  return `${shortValue(before)} -> ${shortValue(after)}`;
}

function shortValue(value: PlannedValue): string {
  const text = inlineValue(value);
  if (text.length <= valueColumnsMax) return text;
  if (isList(value)) return `[${value.length} items]`;
  if (isMap(value)) return `{ ${Object.keys(value).length} keys }`;
  if (typeof value === "string") return `(${value.length} characters)`;
  return text;
}
