/**
 * The second half of `vmform adopt`: what the configuration imports is recorded, and a plan of all
 * of it shows what is left. Only what sends nothing is applied.
 */

import type { Plan } from "../../model/plan/plan.ts";
import { type Diagnostic, hasErrors } from "../../model/said/diagnostic.ts";
import type { Address } from "../../model/value/address.ts";
import { selectAll } from "../../plan/input.ts";
import { CommandError, DiagnosticError, type WorkspaceEnvironment } from "../environment.ts";
import { applyCommand } from "../plan/apply.ts";
import { planCommand } from "../plan/plan.ts";
import { soundConfiguration, type WorkspaceOptions } from "../reading.ts";
import { withWorkspace } from "../workspace.ts";

export type RecordOptions = WorkspaceOptions & { readonly lockTimeoutMs: number };

export type Adopted = {
  /** Addresses that recorded state has now. */
  readonly recorded: readonly Address[];
  /** Addresses that were imported, and could not be recorded so. */
  readonly left: readonly { readonly address: Address; readonly reason: string }[];
  readonly diagnostics: readonly Diagnostic[];
  /** Of the whole configuration, afterwards. */
  readonly plan: Plan;
};

export async function recordAdopted(
  environment: WorkspaceEnvironment,
  options: RecordOptions,
): Promise<Adopted> {
  const imported = await unrecordedImports(environment, options);
  const { left, diagnostics } = await recordAll(environment, options, imported);
  const after = new Set(await unrecordedImports(environment, options));
  const { plan } = await planCommand(environment, {
    ...options,
    ...{ mode: "apply", select: selectAll, allowed: [], settle: false, outputs: [] },
  });
  return {
    recorded: imported.filter((address) => !after.has(address)),
    left: [...after].map((address) => ({
      address,
      reason: left.get(address) ?? "it cannot be planned",
    })),
    diagnostics,
    plan,
  };
}

/** Addresses of `imports` entries that recorded state does not have. */
async function unrecordedImports(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
): Promise<readonly Address[]> {
  const needs = { read: soundConfiguration, access: "none" } as const;
  // What there is to remark, the plan remarks.
  const quiet = { ...environment, remark: () => {} };
  return withWorkspace(quiet, options, needs, async ({ configured, recorded }) => {
    const { state } = await recorded();
    const present = new Set(state.objects.map(({ address }) => address));
    return configured.imports.flatMap(({ to }) => (present.has(to) ? [] : [to]));
  });
}

/**
 * Where all that applying would do is to record these, that is done at once, with the outputs that
 * come of them.
 */
async function recordWhole(
  environment: WorkspaceEnvironment,
  options: RecordOptions,
  imported: readonly Address[],
): Promise<boolean> {
  const own = new Set(imported);
  const isAlone = (plan: Plan): boolean =>
    changed(plan).size === 0 &&
    plan.notes.every(({ note }) => note.what === "adopt" && own.has(note.object.address));
  try {
    const { kind } = await applyCommand(environment, {
      ...options,
      ...{ mode: "apply", command: "adopt", allowed: [], allowPartial: false, planFile: undefined },
      ...{ parallelism: 1, window: undefined, show: () => {} },
      select: selectAll,
      review: (plan) => Promise.resolve(isAlone(plan) ? "approved" : "declined"),
    });
    return kind === "applied";
  } catch (error) {
    // Something else cannot be planned, which need not be in the way of these.
    if (error instanceof DiagnosticError) return false;
    throw error;
  }
}

/**
 * Once more without what would be changed, until nothing is left but records. Each round leaves
 * something out, so there is an end.
 */
async function recordAll(
  environment: WorkspaceEnvironment,
  options: RecordOptions,
  imported: readonly Address[],
): Promise<{
  readonly left: ReadonlyMap<Address, string>;
  readonly diagnostics: readonly Diagnostic[];
}> {
  const left = new Map<Address, string>();
  if (imported.length === 0 || (await recordWhole(environment, options, imported))) {
    return { left, diagnostics: [] };
  }
  for (;;) {
    const targets = imported.filter((address) => !left.has(address));
    if (targets.length === 0) return { left, diagnostics: [] };
    const result = await applyCommand(environment, {
      ...options,
      ...{ mode: "apply", command: "adopt", allowed: [], allowPartial: true, planFile: undefined },
      ...{ parallelism: 1, window: undefined, show: () => {} },
      select: { ...selectAll, targets },
      review: (plan) => Promise.resolve(changed(plan).size === 0 ? "approved" : "declined"),
    });
    const { plan } = result;
    const diagnostics = plan.diagnostics.filter((one) => hasErrors([one]));
    for (const { address } of diagnostics) {
      if (address !== undefined) left.set(address, "it cannot be planned, as told above");
    }
    if (result.kind !== "declined") return { left, diagnostics };
    const others = changed(plan);
    const blocked = targets.filter((address) => others.has(address));
    if (blocked.length === 0) {
      throw new CommandError(
        `Recording them would change something else: ${[...others].join(", ")}.`,
        "Look at it with vmform plan, apply that first, and run vmform adopt again.",
      );
    }
    for (const address of blocked) left.set(address, "applying it would change it");
  }
}

/** Where applying would do more than record what was found. */
function changed({ changes, operations }: Plan): ReadonlySet<Address> {
  return new Set([
    ...operations.map(({ subject }) => subject.address),
    ...changes.flatMap(({ address, action }) => (action === "no-op" ? [] : [address])),
  ]);
}
