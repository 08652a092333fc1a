/**
 * Advice: which commands deal with a finding. Each is offered only when it does what it says: an
 * attribute that only a new object can change is not restored by a plain apply.
 */

import { shellWord } from "../lib/shell-word.ts";
import type { AttributeDifference, DriftSuggestion } from "../model/plan/drift-report.ts";
import type { RecordedObject } from "../model/recorded/recorded.ts";
import type { Address } from "../model/value/address.ts";
import { isSame } from "../model/value/comparison.ts";
import type { SchemaRegistry } from "../model/value/resource-schema.ts";
import { isKnown, type Value } from "../model/value/value.ts";
import { type DesiredObject, inputOf, own } from "./attribute-comparison.ts";

/** A command without its addresses, so that objects with one cause share one. */
export type Advice = {
  readonly purpose: DriftSuggestion["purpose"];
  /** Words behind `vmform`, for the given objects. */
  readonly words: (addresses: readonly Address[]) => readonly string[];
  readonly remark?: string;
  /** The command takes one address, so objects do not share it. */
  readonly single?: true;
};

export const settleAdvice: Advice = { purpose: "settle", words: () => ["apply"] };
export const cleanUpAdvice: Advice = { purpose: "clean-up", words: () => ["apply"] };

/** For a create that was never seen. */
export const resolveAdvice: Advice = {
  purpose: "settle",
  words: ([address = ""]) => ["state", "resolve", address, "--not-done"],
  remark: "when it can no longer appear",
  single: true,
};

const restore: Advice = {
  purpose: "restore",
  words: (addresses) => ["apply", ...flagged("--target", addresses)],
};
const readopt: Advice = {
  purpose: "accept",
  remark: "if the object that is there now is meant",
  words: (addresses) => ["apply", ...flagged("--target", addresses), "--allow", "readopt"],
};
const forget: Advice = { purpose: "forget", words: (addresses) => ["state", "rm", ...addresses] };
/** What is there now is somebody else's: it is neither replaced nor removed. */
const yieldTo: Advice = {
  ...forget,
  remark:
    "then vmform import takes over what is there now; or remove that first, then vmform apply",
};
const replace: Advice = {
  purpose: "replace",
  remark: "last resort: what only this object holds, such as the disks of a VM, is lost",
  words: (addresses) => [
    "apply",
    ...flagged("--target", addresses),
    ...flagged("--replace", addresses),
  ],
};
const accept: Advice = {
  purpose: "accept",
  words: (addresses) => ["drift", ...flagged("--accept", addresses)],
};
const acceptAndWrite: Advice = {
  ...accept,
  words: (addresses) => ["drift", ...flagged("--accept", addresses), "--write-config"],
  remark: "in the configuration too, where it can be written",
};
/** An open operation has to be settled before anything is accepted, and this does both. */
const settleAndAccept: Advice = {
  ...accept,
  words: (addresses) => ["apply", "--refresh-only", ...flagged("--target", addresses)],
  remark: "and change the configuration likewise, where it wants something else",
};

/** As an observation tells it. */
type MissingHow = { readonly another?: boolean; readonly instead?: boolean };

/**
 * `configured` is undefined when the configuration could not be read. What is attached is never
 * made anew.
 */
export function missingAdvice(
  configured: boolean | undefined,
  type: SchemaRegistry[string] | undefined,
  { another = false, instead = false }: MissingHow = {},
): readonly Advice[] {
  // Forgetting the recorded one would let go of what is still owed, and take the other unseen.
  if (another) return type?.ownership === "attached" && configured !== false ? [readopt] : [];
  if (instead && configured !== false) return [yieldTo];
  return configured === false || type?.ownership === "attached" ? [forget] : [restore, forget];
}

export type DriftedIn = {
  /** Undefined when the configuration could not be read. */
  readonly configured: boolean | undefined;
  /** An operation on it was begun and not ended. */
  readonly isOpen: boolean;
  /** What the configuration wants of the object, if it was read and has it. */
  readonly wish: DesiredObject | undefined;
};

export function driftedAdvice(
  object: RecordedObject,
  drifted: readonly AttributeDifference[],
  type: SchemaRegistry[string] | undefined,
  { configured, isOpen, wish }: DriftedIn,
): readonly Advice[] {
  const known = { object, type, configured, wish };
  const ways = drifted.map((item) => ({ item, way: wayBack(known, item) }));
  const named = (wanted: WayBack): readonly string[] =>
    ways.flatMap(({ item, way }) => (way === wanted ? [item.attribute] : []));
  const [restored, replaced] = [named("apply"), named("replace")];
  const rest = replaced.length === 0 ? {} : { remark: `${restored.join(", ")} only` };
  const back = restored.length === 0 ? [] : [{ ...restore, ...rest }];
  const undone = drifted.some(
    ({ attribute, desired, observed }) =>
      isWaiting(known, attribute) ||
      (desired !== undefined && !isAlike(known, attribute, desired, observed)),
  );
  // What loses something comes last.
  const last = replaced.length === 0 ? [] : [replace];
  // What is only recorded, the next apply would undo.
  const accepted = isOpen ? settleAndAccept : undone ? acceptAndWrite : accept;
  return [...back, accepted, ...last];
}

/** Of an object that is as recorded: nothing is left but the configuration, or another object. */
export function standingAdvice(type: SchemaRegistry[string] | undefined): readonly Advice[] {
  return type?.ownership === "attached" ? [] : [replace];
}

type WayBack = "apply" | "replace" | "none";

type Known = {
  readonly object: RecordedObject;
  readonly type: SchemaRegistry[string] | undefined;
  readonly configured: boolean | undefined;
  readonly wish: DesiredObject | undefined;
};

/** The configuration wants a value of it that only planning knows, as with data sources. */
function isWaiting({ type, wish }: Known, attribute: string): boolean {
  const input = inputOf(type, attribute);
  if (wish === undefined || wish.ignore.includes(input)) return false;
  return !isKnown(own(wish.attributes, input) ?? null);
}

/** What brings the recorded or wanted value back: nothing does when nobody asks for one. */
function wayBack(
  known: Known,
  { attribute, desired, recorded, observed, sensitive }: AttributeDifference,
): WayBack {
  const { object, type, configured } = known;
  const input = inputOf(type, attribute);
  const schema = type === undefined ? undefined : own(type.schema.attributes, input);
  if (schema === undefined || schema.computed || schema.lookup) return "none";
  if (configured === false) return "none";
  if (schema.growsOnly === true && isLess(desired ?? recorded, observed)) return "none";
  const isWanted = desired !== undefined || sensitive || isWaiting(known, attribute);
  if (!isWanted && configured === true) return "none";
  if (desired !== undefined && isAlike(known, attribute, desired, observed)) return "none";
  if (!schema.forceNew || type?.replacesDrift === true) return "apply";
  // Planning replaces by itself only when the configuration differs from what was sent.
  const sent = own(object.applied ?? {}, input);
  const replacesAnyway =
    desired !== undefined && sent !== undefined && !isSame(type, input, desired, sent);
  return replacesAnyway ? "apply" : "replace";
}

function isAlike(
  { type }: Known,
  attribute: string,
  desired: Value,
  observed: Value | undefined,
): boolean {
  return isSame(type, inputOf(type, attribute), desired, observed ?? null);
}

function isLess(value: Value | undefined, than: Value | undefined): boolean {
  const isNumber = (item: Value | undefined): item is number | bigint =>
    typeof item === "number" || typeof item === "bigint";
  return isNumber(value) && isNumber(than) && value < than;
}

/** The command of each piece of advice, for all of the objects at once. */
export function suggestionsOf(
  advice: readonly Advice[],
  addresses: readonly Address[],
  directory: string,
): readonly DriftSuggestion[] {
  return advice.map(({ purpose, words, remark }) => ({
    purpose,
    command: commandText(words(addresses), directory),
    ...(remark === undefined ? {} : { remark }),
  }));
}

/** `vmform import` of an object that exists and is recorded nowhere. */
export function importSuggestion(
  object: { readonly type: string; readonly identity: string },
  address: Address | undefined,
  directory: string,
): DriftSuggestion {
  const words =
    address === undefined ? ["import", "--all", object.type] : ["import", address, object.identity];
  return { purpose: "import", command: commandText(words, directory) };
}

function commandText(words: readonly string[], directory: string): string {
  const folder = directory === "." ? [] : ["--chdir", directory];
  return ["vmform", ...words, ...folder].map(shellWord).join(" ");
}

function flagged(flag: string, addresses: readonly Address[]): readonly string[] {
  return addresses.flatMap((address) => [flag, address]);
}

/** Names what a piece of advice is, to tell whether two objects need the same. */
export function adviceKey(advice: readonly Advice[]): Value {
  return advice.map(({ purpose, remark }) => [purpose, remark ?? ""]);
}
