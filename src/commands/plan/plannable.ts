/**
 * Whether there is something to plan: what `--target` and its like name is there, and the
 * configuration has not lost its content, which must not become "delete everything".
 */

import { problem } from "../../engine/codes.ts";
import { resourceOf } from "../../model/address.ts";
import type { Desired } from "../../model/desired.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { PlanMode } from "../../model/plan.ts";
import { nowhere } from "../../model/problem.ts";
import type { TypeRegistry } from "../../model/provider.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded.ts";
import { matches } from "../../plan/before/selection.ts";
import type { PlanSelection } from "../../plan/input.ts";
import { CommandError, DiagnosticError } from "../environment.ts";
import type { PlannedFor } from "../reading.ts";

/** Throws `DiagnosticError`, and `CommandError`. */
export function requirePlannable(
  { mode, select }: { readonly mode: PlanMode; readonly select: PlanSelection },
  desired: PlannedFor,
  state: RecordedState,
  types: TypeRegistry,
): void {
  const lost = mode === "apply" ? emptied(desired, state, types) : [];
  if (lost.length > 0) throw new DiagnosticError(lost);
  requireSelected(select, desired, state);
}

/** Throws `CommandError` for an address that neither the configuration nor recorded state has. */
function requireSelected(
  { targets, excludes, replace }: PlanSelection,
  desired: Desired,
  state: RecordedState,
): void {
  const known = [...desired.instances, ...state.objects, ...desired.moved.map(fromOf)];
  // Read for destroying, a configuration has no instances; what is gone already is no slip.
  const declared = desired.keeping?.declared ?? [];
  const unknown = [...targets, ...excludes, ...replace].filter(
    (wanted) =>
      !declared.includes(resourceOf(wanted)) &&
      !known.some(({ address }) => matches(address, [wanted])),
  );
  if (unknown.length === 0) return;
  throw new CommandError(
    `Neither the configuration nor recorded state has ${unknown.join(", ")}.`,
    "List what is recorded with: vmform state list",
    "usage",
  );
}

function fromOf({ from }: Desired["moved"][number]): { readonly address: typeof from } {
  return { address: from };
}

/**
 * The error for a configuration that declares no resource while objects are recorded, whatever was
 * allowed: an emptied file, a lost checkout or a wrong folder looks just like it. Objects that
 * `removed` entries name were given up on purpose; so was a resource whose `count` is 0.
 */
function emptied(
  desired: Pick<PlannedFor, "removed" | "resourceCount">,
  state: RecordedState,
  types: TypeRegistry,
): readonly Diagnostic[] {
  if (desired.resourceCount !== 0) return [];
  const named = desired.removed.map(({ from }) => from);
  const lost = state.objects.filter(({ address }) => !matches(address, named));
  if (lost.length === 0) return [];
  return [
    problem(nowhere, "RUN004", {
      detail:
        `Applying this configuration would ${lossOf(lost, types)}. More likely its files were ` +
        "emptied or lost.",
      fix:
        "Restore the configuration. If everything shall go: vmform destroy. To forget objects " +
        "and keep them: vmform state rm, or removed entries.",
    }),
  ];
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
