/**
 * Tasks: what they will do and how they will end is settled when they begin; state and progress
 * are computed from their times, so they go on between runs. Pure.
 */

import { percentOf, type TaskPlan } from "../../kit/task.ts";
import type { ManagerFault } from "../soap/fault.ts";
import type { DataObject } from "../soap/soap-value.ts";
import type { DiskFormat, PowerState } from "./inventory.ts";

export type DiskMove = {
  readonly key: number;
  /** Null leaves it where it is; so do the others. */
  readonly datastoreId: string | null;
  readonly format: DiskFormat | null;
  readonly deltaDiskFormat: string | null;
  readonly deltaGrainSize: number | null;
  /** The delta of a linked clone becomes a disk of its own. */
  readonly unlink: boolean;
  /** A delta is put on top of the disk, whose own file stays where it is. */
  readonly addDelta?: boolean;
};

/** What a task does to the world at its end. */
export type ManagerEffect =
  | { readonly kind: "power"; readonly power: PowerState }
  | { readonly kind: "reset" }
  | {
      readonly kind: "reconfigure";
      /** Null leaves it as it is; so do the others. */
      readonly name: string | null;
      readonly annotation: string | null;
      readonly nested: boolean | null;
      readonly capacities: readonly { readonly key: number; readonly kb: number }[];
    }
  | {
      readonly kind: "relocate";
      readonly datastoreId: string | null;
      readonly hostId: string | null;
      readonly folderId: string | null;
      readonly disks: readonly DiskMove[];
    }
  | { readonly kind: "wipe" }
  | { readonly kind: "shrink"; readonly keys: readonly number[] }
  | { readonly kind: "none" };

export type ManagerTask = {
  /** Id of the task object. */
  readonly id: string;
  /** Counts the tasks, from 1. */
  readonly number: number;
  /** Name of the method, such as `ReconfigVM_Task`. */
  readonly name: string;
  readonly descriptionId: string;
  /** Reference of the VM. */
  readonly vmId: string;
  readonly vmName: string;
  /** With domain. */
  readonly user: string;
  readonly queueMs: number;
  readonly startMs: number;
  /** Planned at the start. */
  readonly endMs: number;
  readonly cancelable: boolean;
  /** When the task ends because it was asked to, unless it has ended by then. */
  readonly cancelMs: number | null;
  readonly effect: ManagerEffect;
  /** The task is to fail with it, whatever the plan says. */
  readonly failure: ManagerFault | null;
  readonly plan: TaskPlan;
  /** Set at the end, which comes early for a cancelled task. */
  readonly ended: TaskEnd | null;
};

export type TaskEnd = {
  readonly atMs: number;
  /** `success`, `error`, or the word of a fault script. */
  readonly state: string;
  readonly cancelled: boolean;
  readonly error: ManagerFault | null;
  readonly result: DataObject | null;
};

export function taskState(task: ManagerTask, nowMs: number): string {
  if (task.ended !== null) return task.ended.state;
  return nowMs < task.startMs ? "queued" : (task.plan.meanwhile ?? "running");
}

/** Whole percent below 100, while it runs; undefined otherwise (wire facts D.3). */
export function taskProgress(task: ManagerTask, nowMs: number): number | undefined {
  if (task.ended !== null || nowMs < task.startMs) return undefined;
  return percentOf(nowMs, task.startMs, task.endMs);
}
