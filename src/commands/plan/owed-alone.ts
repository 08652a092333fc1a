/**
 * Plans what is owed beside a plan that policies deny, and shows it: of a fresh apply the work that
 * an interrupted run has begun, of a destroy and of a saved plan its power and nothing else.
 */

import type { Plan } from "../../model/plan/plan.ts";
import { planHasChanges } from "../../model/plan/plan-counts.ts";
import type { OpenRestore } from "../../model/recorded/recorded.ts";
import type { Address } from "../../model/value/address.ts";
import type { PlanSelection } from "../../plan/input.ts";
import type { WorkspaceEnvironment } from "../environment.ts";
import type { ApplyCommandOptions } from "./apply.ts";
import {
  deniedIn,
  onlyGivesBack,
  owedAloneTold,
  owedBesideDenied,
  owedByDenied,
  stillOwedTold,
} from "./owed-power.ts";
import { errorsOf } from "./plan.ts";

export type OwedPlanning = {
  readonly whole: Plan;
  readonly restores: readonly OpenRestore[];
  /** By the configuration; undefined where there is none to plan by. */
  readonly work: ((select: PlanSelection) => Promise<Plan>) | undefined;
  /** By recorded state: see `wantedAsRecorded`. */
  readonly power: (select: PlanSelection) => Promise<Plan>;
};

/** Undefined when nothing is owed, or it cannot be given back; that is told. */
export async function owedAlone(
  environment: WorkspaceEnvironment,
  { mode, select, show }: Pick<ApplyCommandOptions, "mode" | "select" | "show">,
  { whole, restores, work, power }: OwedPlanning,
): Promise<Plan | undefined> {
  if (mode === "refresh") return undefined;
  const { interrupts, remark, types } = environment;
  const owed = (work === undefined ? owedByDenied : owedBesideDenied)(whole, restores, types);
  if (owed.length === 0) return undefined;
  const { excludes } = select;
  const planned = (targets: readonly Address[]): Promise<Plan> =>
    interrupts.untilInterrupted(() => (work ?? power)({ targets, excludes, replace: [] }));
  let targets = owed;
  let alone = await planned(targets);
  // A policy that denies exactly this of one keeps back no other.
  const denied = deniedIn(alone);
  const others = targets.filter((address) => !denied.has(address));
  if (denied.size > 0 && others.length > 0) {
    targets = others;
    alone = await planned(targets);
  }
  const isSound = errorsOf(alone).length === 0 && (work !== undefined || onlyGivesBack(alone));
  const gives = isSound && planHasChanges(alone);
  const left = owed.filter((address) => !gives || !targets.includes(address));
  if (left.length > 0) remark([stillOwedTold(left)]);
  if (!gives) return undefined;
  remark([owedAloneTold(targets)]);
  show(alone, new Map());
  return alone;
}
