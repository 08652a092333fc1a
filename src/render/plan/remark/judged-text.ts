/** Conditions and checks that are judged while a plan is applied, in words. */

import { type JudgedLate, judgedLate } from "../../../model/plan/judged-late.ts";
import type { Plan } from "../../../model/plan/plan.ts";
import type { ValueMap } from "../../../model/value/value.ts";
import { type StyledLine, textLine } from "../../text/styled-line.ts";

/** Lines for conditions; the rest is counted. */
const linesMax = 20;

export function judgedSection(plan: Plan): StyledLine[] {
  // Instances of a module may ask the same of one object.
  const judged = [...new Set(judgedLate(plan).map((one) => `  ${ownerText(one)}: ${one.message}`))];
  if (judged.length === 0) return [];
  const more = judged.length - linesMax;
  return [
    textLine("Judged during apply, and else:", undefined, 2),
    ...judged.slice(0, linesMax).map((one) => textLine(one)),
    ...(more > 0 ? [textLine(`  and ${more} more`)] : []),
  ];
}

function ownerText({ kind, of, what }: JudgedLate): string {
  if (what === "check") return `check ${of}`;
  return what === "output" ? `${kind} of the output ${of}` : `${kind} of ${of}`;
}

export function judgedJson(plan: Plan): readonly ValueMap[] {
  return judgedLate(plan).map(({ kind, of, what, message, source }) => ({
    kind,
    ...(what === "object" || what === "data" ? { address: of } : { name: of }),
    ...(what === "output" ? { output: true } : {}),
    message,
    ...(source === undefined
      ? {}
      : { source: { file: source.file, line: source.line, column: source.column } }),
  }));
}
