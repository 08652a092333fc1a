/**
 * What is planned for: a configuration that has not lost its content, else, to destroy, what was
 * last applied; and whether what `--target` and its like name is there.
 */

import { notUsed, unused } from "../../config/load-destroy.ts";
import { problem } from "../../engine/codes.ts";
import type { Desired } from "../../model/plan/desired.ts";
import type { PlanMode } from "../../model/plan/plan.ts";
import type { TypeRegistry } from "../../model/provider/provider.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { nowhere } from "../../model/said/problem.ts";
import {
  type Address,
  encloses,
  isModulePath,
  resourceOf,
  type Selector,
  selects,
} from "../../model/value/address.ts";
import { addressesText } from "../../model/value/address-text.ts";
import { matches } from "../../plan/before/selection.ts";
import type { PlanSelection } from "../../plan/input.ts";
import { problem as commandProblem } from "../codes.ts";
import { type CommandEnvironment, CommandError, DiagnosticError } from "../environment.ts";
import { nearAddressAdvice } from "../near-address.ts";
import type { PlannedFor } from "../reading.ts";

/** What is to be planned for. Throws `DiagnosticError`, and `CommandError`. */
export function plannable(
  environment: Pick<CommandEnvironment, "types" | "remark">,
  { mode, select }: { readonly mode: PlanMode; readonly select: PlanSelection },
  desired: PlannedFor,
  state: RecordedState,
): PlannedFor {
  const lost = lostObjects(desired, state);
  if (mode === "apply" && lost.length > 0) {
    throw new DiagnosticError([emptied(lost, environment.types)]);
  }
  const isLost = mode === "destroy" && lost.length > 0;
  if (isLost) environment.remark([notUsed(lostText(lost), lostWayOut)]);
  const meant = isLost ? unused(desired) : desired;
  requireSelected(select, meant, state);
  requireProviders(meant, state);
  return meant;
}

/** An address that neither the configuration nor recorded state has is a slip. */
function requireSelected(
  { targets, excludes, replace }: PlanSelection,
  desired: PlannedFor,
  state: RecordedState,
): void {
  const known = [...desired.instances, ...state.objects].map(({ address }) => address);
  const leaving = desired.moved.map(({ from }) => from);
  const { keeping, leftOut = [] } = desired;
  const isUsed = keeping?.by !== "record";
  // Read for destroying, a configuration has no instances; what is gone already is no slip.
  const declared = keeping === undefined ? [] : (desired.declared ?? []);
  const unknown = [...targets, ...excludes, ...replace].filter(
    (wanted) =>
      !declared.some(({ address }) => isInstanceOf(wanted, address) || selects(wanted, address)) &&
      !leftOut.some((one) => encloses(one, wanted) || encloses(wanted, one)) &&
      !leaving.some((from) => from === wanted || (!isModulePath(from) && selects(wanted, from))) &&
      !known.some((address) => selects(wanted, address)),
  );
  if (unknown.length === 0) return;
  const where = isUsed
    ? "Neither the configuration nor recorded state has"
    : "Recorded state has no object at";
  const gone = leaving.flatMap((from) => (isModulePath(from) ? [] : [from]));
  const all = [...known, ...gone, ...declared.map(({ address }) => address)];
  const list = "List what is recorded with: vmform state list";
  const near = unknown.map((address) => nearAddressAdvice(address, all, list));
  const advice = [...new Set(near)].join(" ");
  throw new CommandError(`${where} ${addressesText(unknown)}.`, advice, "usage");
}

function isInstanceOf(wanted: Selector, resource: Address): boolean {
  return !isModulePath(wanted) && resourceOf(wanted) === resource;
}

/** Without a configuration, recorded settings are all there is to reach an object by. */
function requireProviders({ keeping }: Desired, { objects, providers }: RecordedState): void {
  if (keeping?.by !== "record") return;
  const known = new Set(providers.map(({ name }) => name));
  const missing = objects.map(({ provider }) => provider).filter((name) => !known.has(name));
  if (missing.length === 0) return;
  const names = [...new Set(missing)].join(", ");
  throw new DiagnosticError([
    commandProblem(nowhere, "CLI020", {
      detail: `The configuration is not used, and no settings are recorded of: ${names}.`,
      fix: "Mend the configuration, which says how to reach it: vmform validate",
    }),
  ]);
}

/**
 * What a configuration without any resource would lose: an emptied file, a lost checkout or a
 * wrong folder looks just like it. Objects that `removed` entries name were given up on purpose; so
 * was a resource whose `count` is 0.
 */
function lostObjects(
  { declared, removed, keeping }: PlannedFor,
  { objects }: RecordedState,
): readonly RecordedObject[] {
  if (declared?.length !== 0 || keeping?.by === "record") return [];
  const named = removed.map(({ from }) => from);
  return objects.filter(({ address }) => !matches(address, named));
}

function lostText({ length }: readonly RecordedObject[]): string {
  return (
    `It declares no resource, and does not give up ${counted(length)}: more likely its files ` +
    "were emptied or lost."
  );
}

const lostWayOut =
  "To have it used, restore it, or give up everything that is recorded by removed entries.";

/** It must not become "delete everything", whatever was allowed. */
function emptied(lost: readonly RecordedObject[], types: TypeRegistry): Diagnostic {
  return problem(nowhere, "RUN004", {
    detail:
      `Applying this configuration would ${lossOf(lost, types)}. More likely its files were ` +
      "emptied or lost.",
    fix:
      "Restore the configuration. If everything shall go: vmform destroy. To forget objects " +
      "and keep them: vmform state rm, or removed entries.",
  });
}

/** What vmform made is deleted; what it found is let go of, turned off where that was wanted. */
function lossOf(lost: readonly RecordedObject[], types: TypeRegistry): string {
  const fates = { delete: 0, "turn off": 0, forget: 0 };
  for (const object of lost) fates[fateOf(object, types)] += 1;
  const parts = Object.entries(fates).filter(([, count]) => count > 0);
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return `${only[0]} everything: ${counted(only[1])}`;
  return parts.map(([fate, count]) => `${fate} ${counted(count)}`).join(", ");
}

function fateOf(
  { type: name, applied }: RecordedObject,
  types: TypeRegistry,
): "delete" | "turn off" | "forget" {
  const type = types[name];
  if (type?.ownership === "attached") {
    return type.parting?.(applied ?? {}) === "power-off" ? "turn off" : "forget";
  }
  return type?.recordOnly === true ? "forget" : "delete";
}

function counted(count: number): string {
  return count === 1 ? "1 recorded object" : `${count} recorded objects`;
}
