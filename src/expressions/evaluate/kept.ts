/**
 * What functions saw while planning, kept with an expression that waits: its apply uses the very
 * same, be it from a saved plan. Files are kept as base64, absent ones as null.
 */

import type { PlannedValue, Value } from "../../model/value/value.ts";
import { isUnknown } from "../../model/value/value.ts";
import { fileFunctionNames } from "../functions/files.ts";
import type { FileContent, FileReader } from "../functions/function-context.ts";
import { asksTime, type FunctionCall, functionCalls } from "../syntax/calls.ts";
import type { ExpressionProblem } from "../syntax/problem.ts";
import type { Template } from "../syntax/template.ts";
import { evaluateSource } from "./evaluation.ts";
import { newRun } from "./run.ts";
import type { Scope } from "./scope.ts";
import { isPlannedMap } from "./value-kind.ts";

/** No name that an expression could use. */
export const keptRoot = "kept()";

type Kept = { readonly [name: string]: Value };

/** Undefined when the template calls no function that needs anything kept. */
export function keepFor(template: Template, scope: Scope): Kept | undefined {
  const sources = template.parts.flatMap((part) =>
    part.kind === "expression" ? [part.source] : [],
  );
  const files: { [path: string]: Value } = {};
  for (const source of sources) {
    for (const call of fileCalls(source)) {
      const path = pathOf(call, scope);
      if (path === undefined || scope.files === undefined) continue;
      const content = scope.files(path);
      if (content.kind === "read") files[path] = Buffer.from(content.bytes).toString("base64");
      else if (content.kind === "absent") files[path] = null;
    }
  }
  const time = sources.some(asksTime) ? scope.time : undefined;
  if (time === undefined && Object.keys(files).length === 0) return undefined;
  return { ...(time === undefined ? {} : { time }), files };
}

/** The context of an expression that waited. */
export function keptIn(kept: Value | undefined): Pick<Scope, "files" | "time"> {
  if (kept === undefined || !isPlannedMap(kept)) return {};
  const { time, files } = kept;
  return {
    ...(typeof time === "string" ? { time } : {}),
    ...(files === undefined ? {} : { files: keptFiles(files) }),
  };
}

function keptFiles(files: PlannedValue): FileReader {
  const contents = isPlannedMap(files) ? new Map(Object.entries(files)) : new Map();
  return (path): FileContent => {
    const content: unknown = contents.get(path);
    if (content === null) return { kind: "absent" };
    if (typeof content === "string") return { kind: "read", bytes: Buffer.from(content, "base64") };
    return { kind: "unreadable", why: "it was not read while planning" };
  };
}

/** Files are read while planning, whatever else is known later. Offsets count in the source. */
export function lateFileProblems(source: string, scope: Scope): readonly ExpressionProblem[] {
  return fileCalls(source)
    .filter((call) => pathOf(call, scope) === undefined)
    .map(({ name, start, end }) => ({
      message: `The path of ${name}() is not known before anything is read.`,
      fix: "Make it of vars, locals and each; it may not come of a macro in a value that waits.",
      offset: start,
      end,
    }));
}

function fileCalls(source: string): readonly FunctionCall[] {
  return functionCalls(source).filter(({ name }) => fileFunctionNames.has(name));
}

function pathOf({ first }: FunctionCall, scope: Scope): string | undefined {
  if (first === undefined) return undefined;
  const result = evaluateSource(first, scope, newRun(scope));
  if (result.kind !== "value" || isUnknown(result.value)) return undefined;
  return typeof result.value === "string" ? result.value : undefined;
}
