/**
 * Why an operation of a plan stands where it does, in sentences: its place in a power window, what
 * it waits for and why, what it makes up for.
 */

import type { Operation, OperationEdge, OperationId } from "../../../model/operation/operation.ts";
import type { DesiredInstance } from "../../../model/plan/desired.ts";
import type { Plan } from "../../../model/plan/plan.ts";
import type { Address } from "../../../model/value/address.ts";
import { inlineValue } from "../../text/value/value-text.ts";
import { verbText } from "../../text/verb-text.ts";

/** What the configuration says of dependencies. */
export type ReferringInstance = Pick<DesiredInstance, "references" | "explicitDependencies">;

export type ReasonsOf = (operation: Operation) => readonly string[];

/** Operations that are named one by one as what is waited for; the rest is counted. */
const namedMax = 8;

/** `instance`: what the configuration says of the object that is asked about, where it is known. */
export function reasonsIn(
  plan: Pick<Plan, "operations" | "joins">,
  instance: ReferringInstance | undefined,
): ReasonsOf {
  const known: Known = {
    operations: new Map(plan.operations.map((one) => [one.id, one])),
    joins: new Map(plan.joins.map(({ id, after }) => [id, after])),
    windows: windowsOf(plan.operations),
    instance,
  };
  return (operation) => {
    const alone = onlyIf(operation);
    const told = [...windowReasons(operation, known), ...edgeReasons(operation, known)];
    const pools = operation.order.pools.map(
      (pool) => `shares the limit of ${pool}: not all of it goes on at once`,
    );
    const all = [...alone, ...told, ...pools];
    return all.length === 0 ? ["waits for nothing: it may begin at once"] : all;
  };
}

type Known = {
  readonly operations: ReadonlyMap<OperationId, Operation>;
  readonly joins: ReadonlyMap<OperationId, readonly OperationEdge[]>;
  readonly windows: ReadonlyMap<string, Window>;
  readonly instance: ReferringInstance | undefined;
};

/** A power window: the VM, the word that opens it, and what stands within. */
type Window = {
  readonly owner: Address;
  readonly open: Operation | undefined;
  readonly members: readonly Operation[];
};

function windowsOf(operations: readonly Operation[]): ReadonlyMap<string, Window> {
  const windows = new Map<string, Window>();
  for (const operation of operations) {
    const { window, fallbackFor } = operation.order;
    if (window === undefined) continue;
    const known = windows.get(window.id);
    const isMember = window.role === "member";
    const isOpen = window.role === "open" && fallbackFor === undefined;
    windows.set(window.id, {
      owner: isMember ? (known?.owner ?? operation.subject.address) : operation.subject.address,
      open: known?.open ?? (isOpen ? operation : undefined),
      members: [...(known?.members ?? []), ...(isMember ? [operation] : [])],
    });
  }
  return windows;
}

function onlyIf({ order: { fallbackFor, branch } }: Operation): readonly string[] {
  return [
    ...(fallbackFor === undefined ? [] : [`runs only if ${fallbackFor} fails`]),
    ...(branch === undefined ? [] : [`runs only if ${branch.of} is ${branch.when}`]),
  ];
}

function windowReasons({ order: { window } }: Operation, { windows }: Known): readonly string[] {
  const known = window === undefined ? undefined : windows.get(window.id);
  if (window === undefined || known === undefined) return [];
  const { owner, open, members } = known;
  const work = members.map(({ verb, subject: { address } }) =>
    address === owner ? verbText(verb) : `${verbText(verb)} of ${address}`,
  );
  const what = work.length === 0 ? "what stands in it" : namedText(work);
  const power = open === undefined ? undefined : powerOf(open);
  switch (window.role) {
    case "open":
      return [`opens the power window of ${owner}: ${what} cannot be done as the VM is`];
    case "member":
      return [
        `stands in the power window of ${owner}` +
          (power === undefined ? "" : `, since it needs the VM ${power}`),
      ];
    case "word":
      return [`is on the way from one power to the other, in the power window of ${owner}`];
    case "close":
      return [
        `closes the power window of ${owner}: it gives the power back when all in it has ended, ` +
          `whatever became of it (${what})`,
      ];
  }
}

/** The power that a word leads to. */
function powerOf({ proof: { expect } }: Operation): string | undefined {
  for (const one of expect) {
    if ("equals" in one && one.attribute === "power_state") {
      return typeof one.equals === "string" ? one.equals : inlineValue(one.equals);
    }
  }
  return undefined;
}

/** What is waited for in the same way for the same reason stands in one sentence. */
function edgeReasons(operation: Operation, known: Known): readonly string[] {
  const own = operation.order.window;
  const sentences = new Map<string, EdgeSentence>();
  for (const [before, on] of directEdges(operation.order.after, known)) {
    const { window, fallbackFor } = before.order;
    // Its place in the window says it.
    const isInside = own !== undefined && window?.id === own.id && own.role !== "open";
    const isTold = isInside && on !== "failure";
    if (isTold || before.id === operation.order.fallbackFor || fallbackFor !== undefined) continue;
    const why = on === "failure" ? "it makes up for that" : whyAfter(operation, before, known);
    const key = `${on} ${why}`;
    const sentence = sentences.get(key) ?? { head: edgeTexts[on], why, ids: [] };
    sentence.ids.push(before.id);
    sentences.set(key, sentence);
  }
  return [...sentences.values()].map(({ head, why, ids }) => `${head(namedText(ids))}: ${why}`);
}

/** Of operations, through joins; each once. */
function directEdges(
  after: readonly OperationEdge[],
  { operations, joins }: Known,
): readonly (readonly [Operation, OperationEdge["on"]])[] {
  const found = new Map<OperationId, readonly [Operation, OperationEdge["on"]]>();
  const seen = new Set<OperationId>();
  const waiting = after.toReversed();
  for (let edge = waiting.pop(); edge !== undefined; edge = waiting.pop()) {
    const { id, on } = edge;
    if (seen.has(id)) continue;
    seen.add(id);
    const operation = operations.get(id);
    if (operation !== undefined) found.set(id, [operation, on]);
    else waiting.push(...(joins.get(id) ?? []).toReversed());
  }
  return [...found.values()];
}

type EdgeText = (names: string) => string;
type EdgeSentence = { readonly head: EdgeText; readonly why: string; readonly ids: OperationId[] };

const edgeTexts: { readonly [on in OperationEdge["on"]]: EdgeText } = {
  success: (names) => `after ${names}`,
  settled: (names) => `after the end of ${names}, whatever it is`,
  failure: (names) => `only after a failure of ${names}`,
};

/** The first that holds. */
function whyAfter(operation: Operation, before: Operation, { instance }: Known): string {
  const { subject, record, effect } = operation;
  const other = before.subject;
  if (before.effect.kind === "wait" && before.effect.check !== undefined) {
    return "it looks whether what replaces the object can be made, before the old one is touched";
  }
  if (before.effect.kind === "wait" && (before.effect.judges ?? []).length > 0) {
    return "conditions of the configuration are judged there";
  }
  if (other.address === subject.address) return withinObject(operation, before);
  if (record.dependencies.includes(other.address)) return dependencyText(other.address, instance);
  if (before.record.dependencies.includes(subject.address)) {
    if (before.effect.kind === "create") return `${other.address} is made of it as it is before`;
    return `${other.address} depends on it, and goes first`;
  }
  if (subject.container?.identity === other.identity) return "that is its container";
  if (other.container?.identity === subject.identity) return "that is its content";
  if (effect.kind === "create" && before.effect.kind === "delete") {
    return "the name or place that it takes is given up there";
  }
  if (before.order.window !== undefined) return "it stands outside of that power window";
  return "the plan keeps them apart, so that neither disturbs the other";
}

function withinObject({ effect, subject }: Operation, before: Operation): string {
  const [later, earlier] = [effect.kind, before.effect.kind];
  if (later === "create" && earlier === "delete") return "the old object is gone by then";
  if (later === "delete" && earlier === "create")
    return "create_before_destroy: the new one is made";
  if (later === "delete" && subject.objectKey !== before.subject.objectKey) {
    return "its successor is there by then";
  }
  if (later === "delete" && earlier === "power") return "it is off when it is destroyed";
  if (earlier === "power") return "its power is as it has to be by then";
  if (later === "wait") return "only then can be seen what is waited for";
  return "steps of one object follow each other";
}

function dependencyText(address: Address, instance: ReferringInstance | undefined): string {
  const named = (instance?.references ?? []).filter((one) => one.address === address);
  const attributes = [...new Set(named.flatMap(({ attribute }) => attribute ?? []))];
  if (attributes.length > 0) return `its configuration refers to ${attributes.join(", ")} of that`;
  if (named.length > 0) return "its configuration refers to that";
  if (instance?.explicitDependencies.includes(address) === true) return "depends_on names it";
  return "it depends on that";
}

function namedText(names: readonly string[]): string {
  const more = names.length - namedMax;
  const all = names.slice(0, namedMax).join(", ");
  return more > 0 ? `${all} and ${more} more` : all;
}
