/** Collects the problems of a configuration, each with its place; nothing is thrown. */

import { indexText, placeAt, type TextIndex } from "../lib/text.ts";
import type { Diagnostic, SourcePosition } from "../model/said/diagnostic.ts";
import type { Address } from "../model/value/address.ts";
import { type ConfigurationCode, configurationProblems } from "./codes.ts";
import { seemsSecret } from "./read/secret-line.ts";

/** A decoded file; positions are computed when they are asked for. */
export type SourceFile = {
  readonly name: string;
  readonly index: TextIndex;
  /** Any line may hold a secret, as in a file of variables. */
  readonly hidden?: boolean;
};

/** A stretch of a file, in UTF-16 code units. */
export type Place = {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
  /** What is wrong ends here, and is underlined; without it, the first character alone is. */
  readonly markedEnd?: number;
  /** The line may hold a secret: its text is left out of diagnostics. */
  readonly hidden?: boolean;
};

export type Problem = {
  readonly detail: string;
  readonly fix?: string | undefined;
  readonly place?: Place | undefined;
  readonly address?: Address | undefined;
  readonly severity?: "error" | "warning";
  /** Problems of one group are counted as one, instead of those with equal details. */
  readonly group?: string;
};

/** `add` keeps order; an equal problem at the same place is counted, not repeated. */
export type Report = {
  add(code: ConfigurationCode, problem: Problem): void;
  /** Adds a diagnostic that was made elsewhere. */
  pass(diagnostic: Diagnostic): void;
  /** Errors so far: what has but warnings can be used. */
  errorCount(): number;
  /** By file, line and column; problems without a place stand last. */
  diagnostics(): readonly Diagnostic[];
};

export function sourceFile(name: string, text: string, hidden = false): SourceFile {
  return { name, index: indexText(text), hidden };
}

export function positionOf(place: Place): SourcePosition {
  const { line, column, lineText } = placeAt(place.file.index, place.start);
  const { index, hidden } = place.file;
  const isHidden = place.hidden === true || hidden === true || seemsSecret(index, line);
  const text = isHidden ? "" : lineText;
  const position = { file: place.file.name, line, column, text };
  if (place.markedEnd === undefined) return position;
  const marked = index.text.slice(place.start, place.markedEnd).split(/\r?\n/, 1)[0] ?? "";
  const length = Array.from(marked.trimEnd()).length;
  return length > 1 ? { ...position, length } : position;
}

/** `file:line:col`, for texts that name a second place. */
export function placeText(place: Place): string {
  const { file, line, column } = positionOf(place);
  return `${file}:${line}:${column}`;
}

type Kept = { diagnostic: Diagnostic; repeated: number };

export function createReport(): Report {
  const kept = new Map<string, Kept>();
  let errors = 0;
  const keep = (key: string, diagnostic: Diagnostic): void => {
    kept.set(key, { diagnostic, repeated: 0 });
    if (diagnostic.severity === "error") errors += 1;
  };
  const add = (code: ConfigurationCode, problem: Problem): void => {
    const { place } = problem;
    const where = place === undefined ? "" : `${place.file.name}:${place.start}`;
    const key = `${code} ${where} ${problem.group ?? problem.detail}`;
    const known = kept.get(key);
    if (known === undefined) keep(key, toDiagnostic(code, problem));
    else known.repeated += 1;
  };
  const pass = (diagnostic: Diagnostic): void => {
    const { code, detail, source } = diagnostic;
    const key = `${code} ${source?.file} ${source?.line} ${source?.column} ${detail}`;
    const known = kept.get(key);
    if (known === undefined) keep(key, diagnostic);
    else known.repeated += 1;
  };
  const diagnostics = (): readonly Diagnostic[] =>
    [...kept.values()].map(withRepetition).toSorted(compareDiagnostics);
  return { add, pass, errorCount: () => errors, diagnostics };
}

function toDiagnostic(code: ConfigurationCode, problem: Problem): Diagnostic {
  const { severity, place, address } = problem;
  const tell = configurationProblems[severity === "warning" ? "warning" : "problem"];
  return tell({ address, source: place && positionOf(place) }, code, problem);
}

function withRepetition({ diagnostic, repeated }: Kept): Diagnostic {
  if (repeated === 0) return diagnostic;
  const more = `The same for ${repeated} more ${repeated === 1 ? "instance" : "instances"}.`;
  return { ...diagnostic, detail: `${diagnostic.detail} ${more}` };
}

function compareDiagnostics(left: Diagnostic, right: Diagnostic): number {
  const [a, b] = [left.source, right.source];
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const byPlace = compareText(a.file, b.file) || a.line - b.line || a.column - b.column;
  return byPlace || compareText(left.code, right.code);
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
