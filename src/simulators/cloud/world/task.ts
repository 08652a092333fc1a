/**
 * Tasks: what they will do and how they will end is settled when they begin; status and progress
 * are computed from their times, so they go on between runs. Pure.
 */

import { percentOf, successPlan, type TaskPlan } from "../../kit/task.ts";

/** What a task does to the world at its end. Ids of VMs that are gone by then make it fail. */
export type TaskEffect =
  | {
      readonly kind: "power";
      readonly vmIds: readonly string[];
      readonly status: number;
      readonly deployed: boolean;
    }
  | { readonly kind: "relocate"; readonly vmIds: readonly string[]; readonly datastoreId: string }
  | {
      readonly kind: "snapshot";
      readonly vmIds: readonly string[];
      readonly name: string;
      readonly memory: boolean;
    }
  | { readonly kind: "remove-snapshots"; readonly vmIds: readonly string[] }
  | { readonly kind: "revert"; readonly vmIds: readonly string[] }
  | { readonly kind: "nested"; readonly vmIds: readonly string[]; readonly enabled: boolean }
  | {
      readonly kind: "update";
      readonly vmIds: readonly string[];
      readonly name: string;
      /** Null leaves it as it is. */
      readonly description: string | null;
    }
  | {
      readonly kind: "delete";
      readonly vmIds: readonly string[];
      readonly vappId: string | null;
    }
  | { readonly kind: "none"; readonly vmIds: readonly string[] };

export type TaskError = {
  readonly major: number;
  readonly minor: string;
  readonly message: string;
};

/** By a fault, or because it cannot succeed. */
export type CloudTaskPlan = TaskPlan<TaskError>;

export function failingPlan(error: TaskError): CloudTaskPlan {
  return { ...successPlan, end: "error", error, effect: false };
}

export type TaskOwner = {
  readonly kind: "vm" | "vApp";
  readonly id: string;
  /** As shown; empty for tasks of snapshots (wire facts A.4). */
  readonly name: string;
};

export type CloudTask = {
  /** UUID. */
  readonly id: string;
  readonly operationName: string;
  /** Text for people, while it runs and afterwards: its tense changes (wire facts A.5). */
  readonly runningText: string;
  readonly endedText: string;
  readonly owner: TaskOwner;
  /** The vApp that is busy until the end. */
  readonly vappId: string;
  readonly user: string;
  readonly org: string;
  readonly startMs: number;
  /** Until then the task is queued, and from then on about to run. */
  readonly preRunMs: number;
  readonly runMs: number;
  /** Planned at the start. */
  readonly endMs: number;
  readonly expiryMs: number;
  readonly effect: TaskEffect;
  readonly plan: CloudTaskPlan;
  readonly cancelRequested: boolean;
  /** When the task ends because it was asked to, unless it has ended by then. */
  readonly cancelMs: number | null;
  /** Set at the end, which comes early for a cancelled task. */
  readonly ended: {
    readonly atMs: number;
    readonly status: string;
    readonly error: TaskError | null;
  } | null;
};

export function taskStatus(task: CloudTask, nowMs: number): string {
  if (task.ended !== null) return task.ended.status;
  if (nowMs < task.preRunMs) return "queued";
  if (nowMs < task.runMs) return "preRunning";
  return task.plan.meanwhile ?? "running";
}

/** Whole percent; below 100 until the task has ended with success. */
export function taskProgress(task: CloudTask, nowMs: number): number {
  if (task.ended?.status === "success") return 100;
  return percentOf(task.ended?.atMs ?? nowMs, task.runMs, task.endMs);
}
