/**
 * What the simulated appliance holds: partitions with the history of their sizes, and resizes in
 * progress, whose effect takes place whoever waits for it. Sessions end with the process.
 */

import { randomBytes } from "node:crypto";
import type {
  ApplianceDurations,
  ApplianceHealth,
  ApplianceRules,
  ApplianceUserEntry,
} from "../kit/generated/documents.ts";
import type { SessionCounts, SessionReport } from "../kit/sessions.ts";
import { noSessionsYet, reportOf } from "../kit/sessions.ts";

export type AppliancePartition = {
  readonly name: string;
  /** Number of the disk under it. */
  readonly disk: number;
  /** Sizes, oldest first; the first one holds for all time before. */
  readonly sizes: readonly { readonly fromMs: number; readonly kb: number }[];
  readonly usedKb: number;
};

export type ApplianceResize = {
  readonly number: number;
  readonly startMs: number;
  readonly endMs: number;
  /** What will have grown at the end, by the disks as they were at the start. */
  readonly grown: readonly {
    readonly name: string;
    readonly oldKb: number;
    readonly newKb: number;
  }[];
  /** What it fails with; null when it succeeds. */
  readonly failure: string | null;
  /** The partitions grow at the end, even if it is then said to have failed. */
  readonly effect: boolean;
  readonly ended: boolean;
};

/** The part of a world that belongs to the appliance; plain data, persisted and shown. */
export type ApplianceWorld = {
  readonly durations: ApplianceDurations;
  readonly rules: ApplianceRules;
  readonly users: readonly ApplianceUserEntry[];
  /** Key of its VM in the manager's world; null where there is none. */
  readonly vm: string | null;
  readonly health: ApplianceHealth;
  readonly partitions: readonly AppliancePartition[];
  /** The latest ones. */
  readonly resizes: readonly ApplianceResize[];
  readonly nextNumber: number;
};

export type ApplianceSession = {
  readonly id: string;
  readonly user: string;
  readonly createdMs: number;
  lastMs: number;
};

/** What the control surface tells of sessions. */
export type ApplianceSessionReport = SessionReport<{ readonly user: string }>;

export type ApplianceState = {
  readonly seed: number;
  world: ApplianceWorld;
  readonly sessions: Map<string, ApplianceSession>;
  readonly sessionCounts: SessionCounts;
};

const resizesKept = 20;

export function applianceStateOf(world: ApplianceWorld, seed: number): ApplianceState {
  return {
    seed,
    world,
    sessions: new Map(),
    sessionCounts: noSessionsYet(),
  };
}

/** Lets every resize that has ended by now take its effect. */
export function settleAppliance(state: ApplianceState, nowMs: number): void {
  for (const resize of state.world.resizes) {
    if (resize.ended || resize.endMs > nowMs) continue;
    const { world } = state;
    state.world = {
      ...world,
      resizes: world.resizes.map((each) =>
        each.number === resize.number ? { ...each, ended: true } : each,
      ),
      partitions: resize.effect
        ? world.partitions.map((partition) => grown(partition, resize))
        : world.partitions,
    };
  }
}

function grown(partition: AppliancePartition, resize: ApplianceResize): AppliancePartition {
  const found = resize.grown.find((each) => each.name === partition.name);
  if (found === undefined) return partition;
  const size = { fromMs: resize.endMs, kb: found.newKb };
  return { ...partition, sizes: [...partition.sizes, size] };
}

export function runningResize({ world }: ApplianceState): ApplianceResize | undefined {
  return world.resizes.find((resize) => !resize.ended);
}

/** Records a resize as begun; one without duration has ended at once. */
export function beginResize(
  state: ApplianceState,
  start: Omit<ApplianceResize, "number" | "ended">,
): ApplianceResize {
  const { world } = state;
  const resize = { ...start, number: world.nextNumber, ended: false };
  state.world = {
    ...world,
    nextNumber: world.nextNumber + 1,
    resizes: [...world.resizes, resize].slice(-resizesKept),
  };
  return resize;
}

/** Size at a moment, KB. */
export function sizeAt(partition: AppliancePartition, atMs: number): number {
  const past = partition.sizes.filter((size) => size.fromMs <= atMs);
  return (past.at(-1) ?? partition.sizes[0])?.kb ?? 0;
}

/** What a file system leaves of a disk: somewhat less than the disk has. */
export function usableKb(diskKb: number): number {
  return Math.floor(diskKb * 0.995);
}

/** 32 hexadecimal digits, as recorded (wire facts C.1). */
export function openSession(state: ApplianceState, user: string, nowMs: number): ApplianceSession {
  const id = randomBytes(16).toString("hex");
  const session = { id, user, createdMs: nowMs, lastMs: nowMs };
  state.sessions.set(id, session);
  state.sessionCounts.opened += 1;
  return session;
}

export function reportApplianceSessions(
  { world, sessions, sessionCounts }: ApplianceState,
  nowMs: number,
): ApplianceSessionReport {
  return reportOf({ rules: world.rules, sessions, sessionCounts }, nowMs, ({ user }) => ({ user }));
}
