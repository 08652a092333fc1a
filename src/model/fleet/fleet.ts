/**
 * The fleet: workers that do what was submitted, and the database by which they are asked. Ports;
 * `queue` fills them. Each call throws `StoreError` where the database fails.
 */

import type {
  Approval,
  Bundle,
  Cancellation,
  NewSubmission,
  Schedule,
  Submission,
  SubmissionEvent,
  SubmissionStatus,
} from "./submission.ts";
import type { WorkerThere } from "./worker-look.ts";

/** What those who ask need. */
export type Fleet = {
  /** For people. */
  readonly location: string;
  /** Records it and tells the workers, both or neither. */
  readonly submit: (submission: NewSubmission) => Promise<Submission>;
  /** By its id or the beginning of it; undefined where none or more than one begins so. */
  readonly find: (id: string) => Promise<Submission | undefined>;
  /** The latest first. */
  readonly list: (limit: number) => Promise<readonly Submission[]>;
  /** Those after a number, in order; `"0"` for all. */
  readonly events: (id: string, after: string) => Promise<readonly SubmissionEvent[]>;
  /** The last plan that was made for it, as text of a saved plan; undefined where none was kept. */
  readonly plan: (id: string) => Promise<string | undefined>;
  /** The plan that waits for consent; undefined when none does, by now. */
  readonly waitingPlan: (id: string) => Promise<WaitingPlan | undefined>;
  /**
   * Records consent to the plan of that sum (`WaitingPlan`), which is the one that was shown, and
   * tells the workers. False when that plan does not wait for any, by now.
   */
  readonly approve: (
    id: string,
    approval: Omit<Approval, "atMs">,
    shownSum: string,
  ) => Promise<boolean>;
  /** Says no to the plan of that sum. False when that plan does not wait for approval, by now. */
  readonly decline: (id: string, by: By, shownSum: string) => Promise<boolean>;
  /**
   * Takes back what no worker has (`ended`), and asks whoever has it to stop (`asked`), and whoever
   * takes it later. Undefined when it waits for an approval, or has ended, by now.
   */
  readonly cancel: (id: string, by: By) => Promise<"ended" | "asked" | undefined>;
  /** Replaces the one of the same state. */
  readonly schedule: (schedule: Omit<Schedule, "bundle">, bundle: Bundle) => Promise<void>;
  readonly schedules: () => Promise<readonly Schedule[]>;
  /** False when there is none. */
  readonly unschedule: (state: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
};

/** Who it is that asks, and where. */
export type By = Pick<Approval, "who" | "host">;

export type WaitingPlan = {
  /** Of a saved plan. */
  readonly text: string;
  /** sha256 of the text as UTF-8, as hex. */
  readonly sum: string;
};

/** A submission that a worker has taken: what it writes is for as long as nobody has after it. */
export type Taken = Submission & {
  /** The plan that was made for it, as text of a saved plan. */
  readonly plan?: string;
};

export type SubmissionEnd = {
  readonly status: Exclude<SubmissionStatus, "running">;
  readonly exitCode?: number;
  readonly detail: string;
};

/** What a worker needs. */
export type WorkerFleet = Pick<Fleet, "location" | "close"> & {
  /** Undefined when it needs no doing any more. */
  readonly take: (id: string, worker: string) => Promise<Taken | undefined>;
  /** As it was packed. Throws where it is not what its hash says. */
  readonly bundle: (sha256: string) => Promise<Uint8Array>;
  /** False when another worker has taken it since; the same of all that follow. */
  readonly tell: (taken: Taken, lines: readonly string[]) => Promise<boolean>;
  /** `approved`: what was given when it was submitted covers it. */
  readonly keepPlan: (taken: Taken, plan: string, approved: boolean) => Promise<boolean>;
  /** False also where it shall wait for an approval, and somebody has asked it to stop. */
  readonly end: (taken: Taken, end: SubmissionEnd) => Promise<boolean>;
  /**
   * Tells of the wish that it ends, soon after somebody has it, and once. Gives what stops that.
   * Does not reject, and throws nothing.
   */
  readonly heed: (taken: Taken, asked: (by: Cancellation) => void) => () => void;
  /** The wish that it ends, as it is recorded now. */
  readonly cancellation: (id: string) => Promise<Cancellation | undefined>;
  /**
   * Puts it back for whoever takes it next, not before some seconds have passed. False also where
   * somebody has asked it to stop.
   */
  readonly putBack: (taken: Taken, detail: string, afterSeconds: number) => Promise<boolean>;
  /** Puts it back for workers of the version that has packed it, and for no others. */
  readonly leave: (taken: Taken, detail: string) => Promise<boolean>;
  /**
   * Removes what has ended longer ago than that and is needed by nothing; the last of each kind of
   * each state stays.
   */
  readonly prune: (
    keepMs: number,
  ) => Promise<{ readonly runs: number; readonly configurations: number }>;
  /**
   * After the database was restored: ends what is unfinished there, whether or not it was done
   * since, and lets workers take runs again. Gives how many. Throws `RestoredError` while workers
   * are there.
   */
  readonly settleRestored: (by: By) => Promise<number>;
  /**
   * Begins to take runs, so many at a time, and says that it is there until it is closed. Throws
   * `RestoredError` where somebody has noticed that the database was restored.
   */
  readonly work: (
    work: FleetWork,
    self: Pick<WorkerThere, "name" | "node" | "host" | "atOnce">,
  ) => Promise<{ stopTaking: () => Promise<void> }>;
};

/** The database was restored from a backup, of before what this worker knows. */
export class RestoredError extends Error {}

export type FleetWork = {
  /** `lost` is aborted where another worker may have it by now: nothing more is begun then. */
  readonly run: (id: string, lost: AbortSignal) => Promise<void>;
  /** Nothing is taken from now on. */
  readonly restored: (error: RestoredError) => void;
};
