/**
 * Whether a plan that was made anew asks for no more than one that was approved: what an apply that
 * was cut off may go on with without being asked again. Its mutating requests have to be among
 * those approved, each as often at most, and its consents as well. Reads, waits and bookkeeping are
 * free.
 *
 * What makes two requests the same is what they are made of: the object, the verb and the values,
 * which a type turns into a request in one way. A value that was unknown when the plan was approved
 * has to be what the approved expression gives by now.
 */

import type { Operation } from "../../model/operation/operation.ts";
import type { ConsentNeed, Plan } from "../../model/plan/plan.ts";
import { relateEndpoints } from "../../model/recorded/endpoint.ts";
import type { DeferredValue } from "../../model/value/expression.ts";
import {
  equalValues,
  isKnown,
  isList,
  isMap,
  isUnknown,
  memberOf,
  type PlannedValue,
} from "../../model/value/value.ts";

/** What a plan asks for beyond an approved one. */
export type Excess =
  /** `other`: one on this object by this verb was approved, with other values. */
  | { readonly kind: "request"; readonly operation: Operation; readonly why: "new" | "other" }
  | { readonly kind: "consent"; readonly need: ConsentNeed }
  /** Requests would go to another server, or to one by other settings where no server is known. */
  | { readonly kind: "endpoint"; readonly provider: string }
  | { readonly kind: "mode" };

/** The value of a deferred expression by now; undefined where it is not known yet. */
export type EvaluateNow = (deferred: DeferredValue) => PlannedValue | undefined;

/** In the order of the plan; none where it may be applied as approved. */
export function beyondApproved(approved: Plan, plan: Plan, evaluate: EvaluateNow): Excess[] {
  const wanted = requestsOf(plan);
  const covered = cover(requestsOf(approved), wanted, evaluate);
  const known = new Set(requestsOf(approved).map(placeOf));
  const beyond = wanted.flatMap((operation): Excess[] => {
    if (covered.has(operation)) return [];
    const why = known.has(placeOf(operation)) ? "other" : "new";
    return [{ kind: "request", operation, why }];
  });
  const consents = new Set(approved.consent.map(consentKey));
  const needs = plan.consent.filter((need) => !consents.has(consentKey(need)));
  return [
    ...(wanted.length > 0 && plan.mode !== approved.mode ? [{ kind: "mode" as const }] : []),
    ...otherEndpoints(approved, plan),
    ...beyond,
    ...needs.map((need): Excess => ({ kind: "consent", need })),
  ];
}

/** Operations that may send something. */
function requestsOf({ operations }: Plan): readonly Operation[] {
  return operations.filter(({ effect }) => effect.kind !== "wait");
}

function consentKey({ address, disruption }: ConsentNeed): string {
  return `${disruption} ${address}`;
}

/** The object and the verb. */
function placeOf({ subject, verb, effect }: Operation): string {
  const { address, objectKey, provider, type, identity } = subject;
  return JSON.stringify([address, objectKey, provider, type, identity, verb, effect.kind]);
}

/**
 * Operations of the second list that have one of the first each. As many as can be: one that two
 * fit is taken from whoever has another (augmenting paths).
 */
function cover(
  approved: readonly Operation[],
  wanted: readonly Operation[],
  evaluate: EvaluateNow,
): ReadonlySet<Operation> {
  const places = new Map<string, Operation[]>();
  for (const one of approved) places.set(placeOf(one), [...(places.get(placeOf(one)) ?? []), one]);
  const takenBy = new Map<Operation, Operation>();
  const take = (operation: Operation, tried: Set<Operation>): boolean =>
    (places.get(placeOf(operation)) ?? []).some((one) => {
      if (tried.has(one) || !fits(one, operation, evaluate)) return false;
      tried.add(one);
      const holder = takenBy.get(one);
      if (holder !== undefined && !take(holder, tried)) return false;
      takenBy.set(one, operation);
      return true;
    });
  for (const operation of wanted) take(operation, new Set());
  return new Set(takenBy.values());
}

/** Of operations on one object by one verb. */
function fits(approved: Operation, operation: Operation, evaluate: EvaluateNow): boolean {
  const [before, now] = [approved.request, operation.request];
  const names = new Set([...Object.keys(before.inputs), ...Object.keys(now.inputs)]);
  const late = [...names].filter((name) => !isKnown(before.inputs[name] ?? null));
  const early = [...names].filter((name) => !late.includes(name));
  if (!operation.disrupts.every((one) => approved.disrupts.includes(one))) return false;
  if (!early.every((name) => equalValues(before.inputs[name] ?? null, now.inputs[name] ?? null))) {
    return false;
  }
  const sameLate = late.every((name) => fitsExpression(before, now, name, evaluate));
  return sameLate && fitsPreview(before, now, late.length > 0);
}

type Request = Operation["request"];

function fitsExpression(
  before: Request,
  now: Request,
  name: string,
  evaluate: EvaluateNow,
): boolean {
  const deferred = before.deferred[name];
  if (deferred === undefined) return false;
  const planned = before.inputs[name] ?? null;
  const value = now.inputs[name] ?? null;
  if (!fitsUnknown(planned, value)) return false;
  if (isKnown(value)) {
    const given = evaluate(deferred);
    return given !== undefined && equalValues(given, value);
  }
  // Unknown still: the same expression over the same values will give the same.
  const later = now.deferred[name];
  return later !== undefined && sameData(deferred, later);
}

/** A request whose values are all known is compared as it is, too. */
function fitsPreview(before: Request, now: Request, hasLate: boolean): boolean {
  const [approved, preview] = [before.preview, now.preview];
  if (approved === undefined || preview === undefined) return approved === preview;
  if (approved.method !== preview.method) return false;
  if (approved.contentType !== preview.contentType) return false;
  if (!hasLate && approved.path !== preview.path) return false;
  return fitsUnknown(approved.body ?? null, preview.body ?? null);
}

/** Equal but for what was unknown, which may be anything. */
function fitsUnknown(before: PlannedValue, now: PlannedValue): boolean {
  if (isUnknown(before)) return true;
  if (isList(before) && isList(now)) {
    if (before.length !== now.length) return false;
    return before.every((item, index) => fitsUnknown(item, now[index] ?? null));
  }
  if (isMap(before) && isMap(now)) {
    const names = new Set([...Object.keys(before), ...Object.keys(now)]);
    return [...names].every((name) =>
      fitsUnknown(memberOf(before, name) ?? null, memberOf(now, name) ?? null),
    );
  }
  return equalValues(before, now);
}

/** Of plain data, whatever the order of its members. */
function sameData(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object") return false;
  if (one === null || other === null) return false;
  const [left, right] = [Object.entries(one), new Map<string, unknown>(Object.entries(other))];
  if (Array.isArray(one) !== Array.isArray(other) || left.length !== right.size) return false;
  return left.every(([name, value]) => right.has(name) && sameData(value, right.get(name)));
}

function otherEndpoints(approved: Plan, plan: Plan): Excess[] {
  const used = [...new Set(requestsOf(plan).map(({ subject: { provider } }) => provider))];
  const endpointOf = (of: Plan, name: string) =>
    of.endpoints.find(({ provider }) => provider === name);
  const settingsOf = (of: Plan, name: string) => of.providers.find((one) => one.name === name);
  return used.flatMap((provider): Excess[] => {
    const [before, now] = [endpointOf(approved, provider), endpointOf(plan, provider)];
    const same =
      before !== undefined && now !== undefined
        ? relateEndpoints(before, now) === "same"
        : before === now &&
          sameData(settingsOf(approved, provider)?.settings, settingsOf(plan, provider)?.settings);
    return same ? [] : [{ kind: "endpoint", provider }];
  });
}
