/** Compares the requests that an apply sent with those that its plan had shown. */

import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";

/** The part of `vmform show FILE --json` that is compared. */
export type ShownOperation = {
  readonly id: string;
  readonly request?: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly after: readonly { readonly id: string; readonly on: string }[];
  readonly fallback_for?: string;
  readonly branch?: { readonly of: string; readonly when: "replaced" | "kept" };
};

const unknownText = "(known after apply)";

/** Problems: requests never shown, shown and never sent, sent in an order the plan forbids. */
export function comparePreviewed(
  operations: readonly ShownOperation[],
  mutations: readonly LoggedRequest[],
): readonly string[] {
  const spares = spareIds(operations);
  const isSpare = ({ id }: ShownOperation): boolean => spares.has(id);
  const isRefuted = refutedBranches(operations, mutations);
  const requests = operations.filter((operation) => operation.request && !isRefuted(operation));
  // The same word may be planned, and be planned again for when something fails.
  const left = new Set([
    ...requests.filter((operation) => !isSpare(operation)),
    ...requests.filter(isSpare),
  ]);
  const sentAt = new Map<string, number>();
  const problems: string[] = [];
  for (const entry of mutations) {
    const match = [...left].find((operation) => isRequest(operation, entry));
    if (match === undefined) {
      problems.push(`sent and not shown: ${entry.method} ${entry.path} ${entry.body}`);
      continue;
    }
    left.delete(match);
    sentAt.set(match.id, entry.n);
  }
  for (const operation of left) {
    if (!isSpare(operation)) problems.push(`shown and not sent: ${operation.id}`);
  }
  return [...problems, ...orderProblems(operations, sentAt)];
}

/**
 * What late values decided against: of an object that may be replaced, all that replaces it was
 * sent, or nothing of that counts as shown.
 */
function refutedBranches(
  operations: readonly ShownOperation[],
  mutations: readonly LoggedRequest[],
): (operation: ShownOperation) => boolean {
  const kept = new Set<string>();
  for (const operation of operations) {
    const { branch, request } = operation;
    if (branch?.when !== "replaced" || request === undefined) continue;
    if (!mutations.some((entry) => isRequest(operation, entry))) kept.add(branch.of);
  }
  return ({ branch }) => branch !== undefined && kept.has(branch.of) !== (branch.when === "kept");
}

/**
 * Sent only when something else fails: a fallback, the way back, and what follows on it. The plan
 * shows operations after those they wait for.
 */
function spareIds(operations: readonly ShownOperation[]): ReadonlySet<string> {
  const spares = new Set<string>();
  for (const { id, fallback_for: first, after } of operations) {
    const follows = after.some(
      (edge) => edge.on === "failure" || (edge.on === "success" && spares.has(edge.id)),
    );
    if (first !== undefined || follows) spares.add(id);
  }
  return spares;
}

function isRequest({ request }: ShownOperation, entry: LoggedRequest): boolean {
  if (request === undefined) return false;
  if (request.method !== entry.method || request.path !== entry.path) return false;
  if (request.body === undefined) return entry.body === "";
  if (typeof request.body === "string") return request.body === entry.body;
  return fits(request.body, JSON.parse(entry.body));
}

/** A text that was unknown while planning may be any text. */
function fits(shown: unknown, sent: unknown): boolean {
  if (shown === unknownText) return typeof sent === "string";
  if (typeof shown !== "object" || shown === null) return shown === sent;
  if (typeof sent !== "object" || sent === null) return false;
  const names = new Set([...Object.keys(shown), ...Object.keys(sent)]);
  const member = (value: object, name: string): unknown => Reflect.get(value, name);
  return [...names].every((name) => fits(member(shown, name), member(sent, name)));
}

/** Whatever an operation comes after, also by way of waits, arrives before it. */
function orderProblems(
  operations: readonly ShownOperation[],
  sentAt: ReadonlyMap<string, number>,
): readonly string[] {
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  const earliest = new Map<string, number>();
  /** The last arrival among everything before the operation. */
  const lastBefore = (id: string): number => {
    const known = earliest.get(id);
    if (known !== undefined) return known;
    earliest.set(id, 0);
    const before = byId.get(id)?.after ?? [];
    const result = Math.max(0, ...before.map((edge) => sentAt.get(edge.id) ?? lastBefore(edge.id)));
    earliest.set(id, result);
    return result;
  };
  return [...sentAt].flatMap(([id, n]) =>
    lastBefore(id) < n ? [] : [`${id} was sent before what it comes after`],
  );
}
