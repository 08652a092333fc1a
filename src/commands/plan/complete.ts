/**
 * A configuration whose instances, or ways to a provider, are known only by reading: what they need
 * is found out, and the configuration is read once more with that, until nothing waits or nothing
 * more can be found out.
 */

import type { Configuration } from "../../config/load.ts";
import { listWords } from "../../config/read/form/spelling.ts";
import { type FoundOut, findOut } from "../../engine/find-out.ts";
import { createDryLedger, type Ledger } from "../../engine/ledger.ts";
import type { PrepareOptions } from "../../engine/prepare.ts";
import { quotedWord } from "../../lib/shell-word.ts";
import type { Desired } from "../../model/plan/desired.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { allRules } from "../../model/plan/rules.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import { type Diagnostic, hasErrors } from "../../model/said/diagnostic.ts";
import { type Address, encloses, selects } from "../../model/value/address.ts";
import { type Reference, readsAttribute } from "../../model/value/expression.ts";
import { isKnown } from "../../model/value/value.ts";
import { type PlanSelection, selectAll } from "../../plan/input.ts";
import { type CommandEnvironment, CommandError, DiagnosticError } from "../environment.ts";
import type { Configured, PlannedFor } from "../reading.ts";
import type { Connection, Workspace } from "../workspace.ts";

/** What may wait. */
type Completable = Desired & Pick<PlannedFor, "waiting" | "leftOut" | "withKnown">;

export type Completing<C extends Completable> = {
  readonly environment: Pick<CommandEnvironment, "remark">;
  readonly connection: Connection;
  readonly ledger: Ledger;
  readonly options: PrepareOptions;
  /** Looks at each configuration that is read once more, as at the first one. */
  readonly accept: (read: Configuration) => C | Configuration;
};

/** What was found out of each address. */
type Found = Map<Address, FoundOut>;

type Waiting = NonNullable<PlannedFor["waiting"]>;

/**
 * The complete configuration. What still waits is left out of it where `select` leaves it out of
 * the plan. Throws `DiagnosticError` when it does not.
 */
export async function complete<C extends Completable>(
  { environment, connection, ledger, options, accept }: Completing<C>,
  first: C,
): Promise<C | Configuration> {
  const { mode, select = selectAll } = options;
  // Reading anew what is recorded needs no instances.
  if (mode === "refresh") return first;
  const found: Found = new Map();
  let desired: C | Configuration = first;
  for (;;) {
    const { waiting, withKnown } = desired;
    if (waiting === undefined || withKnown === undefined) return desired;
    const named = waiting.flatMap(({ references }) => references.map(({ address }) => address));
    const asked = new Set(named.filter((address) => found.get(address)?.status !== "known"));
    const { ports, sessions } = connection;
    // What is left out of the plan is as it is, and may be needed to know the rest. What is to be
    // replaced has none of the values that it has now.
    const whole = { ...options, select: { ...selectAll, replace: select.replace } };
    const news = await findOut(ports, sessions, ledger, desired, asked, whole);
    for (const [address, one] of news) found.set(address, one);
    if (![...news.values()].some(({ status }) => status === "known")) break;
    const read = withKnown((address) => attributesIn(found, address));
    if (read.value === undefined || hasErrors(read.diagnostics)) {
      throw new DiagnosticError(read.diagnostics);
    }
    environment.remark(read.diagnostics);
    desired = accept(read.value);
  }
  if (leavesOut(select, desired)) return desired;
  throw new DiagnosticError(problemsOf(desired.waiting ?? [], found, select));
}

/**
 * The same for commands that plan nothing: what an interrupted run has left open is none of their
 * concern. By default nothing is left out.
 */
export async function completeToRead(
  { environment, simulated }: Pick<Workspace<Configured>, "environment" | "simulated">,
  connection: Connection,
  state: RecordedState,
  first: Configuration,
  select: PlanSelection = selectAll,
): Promise<Configuration> {
  if (first.waiting === undefined) return first;
  const ledger = createDryLedger(state, allRules);
  const asking = { mode: "apply", allowed: [], simulated, leaveOpen: true } as const;
  const options = { ...asking, select, answers: new Map() };
  const accept = (read: Configuration): Configuration => read;
  return complete({ environment, connection, ledger, options, accept }, first);
}

function attributesIn(found: Found, address: Address) {
  const one = found.get(address);
  return one?.status === "known" ? one.attributes : undefined;
}

/** Whether a plan of that selection is about nothing of what is left out. */
function leavesOut(
  { targets, excludes }: PlanSelection,
  { leftOut = [], waiting = [] }: Pick<PlannedFor, "leftOut" | "waiting">,
): boolean {
  if (targets.length + excludes.length === 0) return false;
  const isExcluded = (one: string): boolean => excludes.some((it) => encloses(it, one));
  // What depends on something that is excluded is excluded with it.
  if (waiting.every(({ subject }) => isExcluded(subject))) return true;
  return leftOut.every((one) => {
    if (isExcluded(one)) return true;
    return targets.length > 0 && !targets.some((it) => encloses(it, one) || encloses(one, it));
  });
}

/** What cannot be planned, and why: each with the first thing that it needs and nobody knows. */
function problemsOf(
  waiting: Waiting,
  found: Found,
  { replace }: PlanSelection,
): readonly Diagnostic[] {
  // The apply before has to replace what this one was to replace, or nothing would be gained.
  const replacing = replace.map((address) => ` --replace ${quotedWord(address)}`).join("");
  return waiting.map((one) => {
    const { subject, setting, references, problem } = one;
    const missing = references.find((reference) => !isFound(reference, found));
    const name = missing === undefined ? "a value" : referenceText(missing);
    const needs = `${setting} of ${subject} needs ${name}`;
    const known = missing === undefined ? undefined : found.get(missing.address);
    if (known === undefined) {
      const others = waiting.filter((other) => other !== one);
      const named = others.map((other) => `${other.setting} of ${other.subject}`);
      const detail =
        named.length === 0
          ? `${needs}, which needs what comes of it.`
          : `${needs}, which waits itself. Not known either: ${listWords(named, "and")}.`;
      return problem(detail, "Write the values themselves where one of them begins.");
    }
    if (known.status === "failed") {
      return problem(`${needs}, which ${known.why}`, known.fix ?? "Plan again when it can.");
    }
    const after = known.status === "later" ? known.after : [missing?.address];
    const targets = after.map((address) => `--target ${quotedWord(String(address))}`).join(" ");
    const detail = `${needs}, which is known only after an apply.`;
    return problem(detail, `Apply what it comes from first: vmform apply ${targets}${replacing}`);
  });
}

function isFound(reference: Reference, found: Found): boolean {
  const attributes = attributesIn(found, reference.address);
  if (attributes === undefined) return false;
  return Object.entries(attributes).every(
    ([name, value]) => isKnown(value) || !readsAttribute(reference, name),
  );
}

function referenceText({ address, attribute }: Reference): string {
  return attribute === undefined ? address : `${address}.${attribute}`;
}

/**
 * What depends on something that is excluded is excluded with it; so is what is left out of the
 * configuration for it, which is recorded and wanted by nothing for now.
 */
export function withLeftOut(
  select: PlanSelection,
  { leftOut = [] }: Pick<PlannedFor, "leftOut">,
): PlanSelection {
  const { excludes } = select;
  return excludes.length === 0 ? select : { ...select, excludes: [...excludes, ...leftOut] };
}

/**
 * What is left out only waits, so nothing may become of what is recorded of it: a plan that is
 * about some of it all the same is refused. Throws `DiagnosticError`.
 */
export function requireNothingLeftOut(
  { leftOut = [], waiting = [] }: Pick<PlannedFor, "leftOut" | "waiting">,
  plan: Plan,
): void {
  const touched = plan.changes.find(
    ({ address, action }) => action !== "no-op" && leftOut.some((one) => selects(one, address)),
  );
  if (touched === undefined) return;
  const [first] = waiting;
  if (first === undefined) return;
  const all = waiting.map(({ subject, setting }) => `${setting} of ${subject}`);
  // One setting may wait for several values.
  const names = [...new Set(all)];
  const unknown = listWords(names, "and");
  const verb = names.length === 1 ? "is" : "are";
  const detail = `The plan is about ${touched.address} as well, and ${unknown} ${verb} not known.`;
  const fix = `Leave out more: --exclude ${quotedWord(touched.address)}`;
  throw new DiagnosticError([first.problem(detail, fix)]);
}

/** What is left out is not replaced, and would be passed over. Throws `CommandError`. */
export function requireReplaced(
  { targets, excludes, replace }: PlanSelection,
  { moved }: Pick<PlannedFor, "moved">,
  plan: Plan,
): void {
  if (targets.length === 0 && excludes.length === 0) return;
  const planned = new Set(plan.changes.map(({ address }) => address));
  const leaving = new Set(moved.map(({ from }) => from));
  const missed = replace.find((one) => !planned.has(one) && !leaving.has(one));
  if (missed === undefined) return;
  // With both, what a target names is left out by an exclusion: its own, or of what it depends on.
  const isExcluded = excludes.some((one) => encloses(one, missed));
  const isTargeted = targets.length === 0 || targets.some((one) => encloses(one, missed));
  const [by, fix] =
    isExcluded || isTargeted
      ? ["--exclude", "Leave out --replace, or the --exclude."]
      : ["--target", `Add: --target ${quotedWord(missed)}`];
  throw new CommandError(`${missed} is to be replaced, and ${by} leaves it out.`, fix, "usage");
}
