/**
 * The configuration beside an accepted value: where it wants something else, and, asked for, the
 * text that wants what is there. A text counts only when, read as a whole, it wants exactly that
 * and nothing else otherwise; what cannot be written so is left to a person, with its place.
 */

import { join, relative } from "node:path";
import type { ConfigurationFile } from "../../config/load.ts";
import { seemsSecret } from "../../config/read/secret-line.ts";
import { writtenValue } from "../../config/written-value.ts";
import type { DesiredObject } from "../../drift/attribute-comparison.ts";
import { inputOf } from "../../drift/attribute-comparison.ts";
import { placeAt } from "../../lib/text.ts";
import { withScalar } from "../../lib/yaml/rewrite-scalar.ts";
import { hasErrors } from "../../model/said/diagnostic.ts";
import type { Address } from "../../model/value/address.ts";
import { isSame } from "../../model/value/comparison.ts";
import { equalValues, isKnown, type Value } from "../../model/value/value.ts";
import type { WorkspaceEnvironment } from "../environment.ts";
import { configurationFiles, readConfiguration, type WorkspaceOptions } from "../reading.ts";
import type { SeenDrift } from "./drift.ts";
import { desiredObjects } from "./drift-desired.ts";

/** A value that is to be recorded. */
export type AcceptedValue = {
  /** It is recorded already, and was not named by itself: its line is left to a person. */
  readonly byHand?: true;
  readonly address: Address;
  readonly type: string;
  readonly attribute: string;
  readonly recorded: Value;
  readonly observed: Value;
  /** Neither value may be shown. */
  readonly sensitive: boolean;
};

/** A line that is written anew. */
export type LineEdit = {
  readonly address: Address;
  readonly attribute: string;
  readonly file: string;
  readonly line: number;
  readonly before: string;
  readonly after: string;
};

/** What a person has to change, since the configuration wants something else. */
export type ByHand = {
  readonly address: Address;
  /** As the configuration names it. */
  readonly attribute: string;
  /** Undefined for a secret. */
  readonly value?: Value;
  readonly why: string;
  readonly at?: string;
};

export type ConfigurationEdits = {
  readonly edits: readonly LineEdit[];
  /** What the configuration wants just so already. */
  readonly wanted: readonly Pick<AcceptedValue, "address" | "attribute">[];
  readonly byHand: readonly ByHand[];
  /** Whole files: what was read, and what is to be written. */
  readonly files: readonly {
    readonly path: string;
    readonly read: Uint8Array;
    readonly text: string;
  }[];
};

export const noEdits: ConfigurationEdits = { edits: [], wanted: [], byHand: [], files: [] };

const hiddenLine = "(a line that may hold a secret)";

type Wanted = ReadonlyMap<Address, DesiredObject>;
type Reader = {
  readonly environment: WorkspaceEnvironment;
  readonly options: WorkspaceOptions;
  readonly seen: SeenDrift;
};

/** `write` is false where only what is to be changed is told. */
export async function configurationEdits(
  reader: Reader,
  accepted: readonly AcceptedValue[],
  write: boolean,
): Promise<ConfigurationEdits> {
  const { environment, options } = reader;
  const original = await configurationFiles(environment, options.directory);
  const first = await wantedIn(reader, original);
  if (first === undefined) return noEdits;
  let wanted: Wanted = first;
  let current = original;
  const edits: LineEdit[] = [];
  const byHand: ByHand[] = [];
  const settled: Pick<AcceptedValue, "address" | "attribute">[] = [];
  for (const item of accepted) {
    const { attribute: missing, otherwise } = wishOf(reader, wanted, item);
    if (otherwise === false) settled.push({ address: item.address, attribute: missing });
    if (otherwise !== true) continue;
    const tried: Tried =
      write && item.byHand !== true
        ? await tryEdit(reader, current, wanted, item, missing)
        : {
            why: write ? "name it by itself to have it written" : "by hand, or with --write-config",
          };
    if ("why" in tried) {
      const told = tried.at ?? placeOfWish(current, item.address, missing);
      const value = item.sensitive ? {} : { value: item.observed };
      const at = told === undefined ? {} : { at: told };
      byHand.push({ address: item.address, attribute: missing, ...value, why: tried.why, ...at });
      continue;
    }
    ({ files: current, wanted } = tried);
    edits.push(tried.edit);
  }
  const files = current.flatMap(({ name, bytes }, index) => {
    const read = original[index]?.bytes ?? bytes;
    if (read === bytes) return [];
    return [
      { path: name, read, text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) },
    ];
  });
  return { edits, wanted: settled, byHand, files };
}

function placeOfWish(
  files: readonly ConfigurationFile[],
  address: Address,
  attribute: string,
): string | undefined {
  const written = writtenValue(files, address, attribute);
  if (written.kind === "other") return written.at;
  const { line, column } = placeAt(written.file.index, written.scalar.start);
  return `${written.file.name}:${line}:${column}`;
}

/** Whether the configuration wants an input otherwise than accepted; undefined: it says nothing. */
function wishOf(
  { environment }: Reader,
  wanted: Wanted,
  { address, type: name, attribute, observed }: AcceptedValue,
): { readonly attribute: string; readonly otherwise?: boolean } {
  const type = environment.types[name];
  const input = inputOf(type, attribute);
  const wish = wanted.get(address);
  const value = wish?.attributes[input] ?? null;
  if (wish === undefined || value === null || wish.ignore.includes(input)) {
    return { attribute: input };
  }
  const otherwise = !isKnown(value) || !isSame(type, input, value, observed);
  return { attribute: input, otherwise };
}

type Tried =
  | { readonly why: string; readonly at?: string }
  | {
      readonly files: readonly ConfigurationFile[];
      readonly wanted: Wanted;
      readonly edit: LineEdit;
    };

async function tryEdit(
  reader: Reader,
  files: readonly ConfigurationFile[],
  wanted: Wanted,
  item: AcceptedValue,
  input: string,
): Promise<Tried> {
  const { address, observed, sensitive } = item;
  const value = writtenValue(files, address, input);
  if (value.kind === "other") return value;
  const at = placeOfWish(files, address, input);
  const place = at === undefined ? {} : { at };
  if (sensitive) return { why: "it is a secret", ...place };
  if (observed === null || typeof observed === "object") {
    return { why: "what is observed is no single value", ...place };
  }
  const { file, scalar } = value;
  const text = withScalar(file.index.text, scalar, observed);
  if (text === undefined) return { why: "it is written as lines, or not at all", ...place };
  const changed = files.map((one) => (one.name === file.name ? withText(one, text) : one));
  const next = await wantedIn(reader, changed);
  if (next === undefined || !isOnlyChange(reader, wanted, next, item, input)) {
    return { why: "other values hang on it, or it would not be read so", ...place };
  }
  const { line, lineText } = placeAt(file.index, scalar.start);
  const written = text.split("\n")[line - 1]?.replace(/\r$/, "") ?? "";
  const isSecret = seemsSecret(file.index, line);
  const [before, after] = isSecret ? [hiddenLine, hiddenLine] : [lineText, written];
  const edit = { address, attribute: input, file: file.name, line, before, after };
  return { files: changed, wanted: next, edit };
}

/** A mark of the byte order that the file begins with stays. */
function withText({ name, bytes }: ConfigurationFile, text: string): ConfigurationFile {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return { name, bytes: new TextEncoder().encode(isMarked ? `\ufeff${text}` : text) };
}

function isOnlyChange(
  { environment }: Reader,
  before: Wanted,
  after: Wanted,
  item: AcceptedValue,
  input: string,
): boolean {
  if (before.size !== after.size) return false;
  for (const [address, old] of before) {
    const now = after.get(address);
    if (now === undefined || now.identity !== old.identity) return false;
    for (const name of new Set([...Object.keys(old.attributes), ...Object.keys(now.attributes)])) {
      const value = now.attributes[name] ?? null;
      if (address === item.address && name === input) {
        const type = environment.types[item.type];
        if (!isKnown(value) || !isSame(type, input, value, item.observed)) return false;
        continue;
      }
      const was = old.attributes[name] ?? null;
      if (isKnown(was) !== isKnown(value)) return false;
      if (isKnown(was) && isKnown(value) && !equalValues(was, value)) return false;
    }
  }
  return true;
}

/** What the files want; undefined where they have errors. */
async function wantedIn(
  { environment, options, seen }: Reader,
  files: readonly ConfigurationFile[],
): Promise<Wanted | undefined> {
  const texts = new Map(
    files.map(({ name, bytes }) => [
      join(options.directory, relative(options.directory, name)),
      bytes,
    ]),
  );
  const reading = {
    ...environment,
    readFile: async (path: string) => texts.get(path) ?? environment.readFile(path),
  };
  const { value, diagnostics } = await readConfiguration(reading, options);
  if (value === undefined || hasErrors(diagnostics)) return undefined;
  return desiredObjects(value, seen.recorded, seen.observations, environment.types);
}
