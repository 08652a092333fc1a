/**
 * The board: what people see of many states, and what they may do there, as the web pages need it.
 * A port, so that the pages know no database. Names of states, runs and people are data.
 */

import type { Plan } from "../plan/plan.ts";
import type { RunRecord } from "../recorded/run-record.ts";

/** From the least to the most that a person may do; each may do what those before it may. */
export const roles = ["see", "approve", "operate"] as const;
export type Role = (typeof roles)[number];

export function isRole(word: string): word is Role {
  return roles.some((role) => role === word);
}

export function mayDo(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

export type Person = {
  readonly who: string;
  readonly role: Role;
  /** How it is known who it is. */
  readonly via: "token" | "header" | "oidc";
};

/** Some of many rows. */
export type Rows<T> = { readonly rows: readonly T[]; readonly total: number };
export type Paging = { readonly offset: number; readonly limit: number };

/**
 * `queued`, `needs-approval` and `cancelled` are those of what was submitted; `unfinished`: it
 * neither ended nor is anybody at work.
 */
export const boardStatuses = [
  ...(["queued", "running", "needs-approval", "unfinished", "cancelled"] as const),
  ...(["done", "partial", "failed", "declined", "interrupted", "lost"] as const),
] as const;
export type BoardStatus = (typeof boardStatuses)[number];

export type BoardRun = {
  readonly id: string;
  readonly state: string;
  /** Such as `apply` or `state rm`. */
  readonly command: string;
  readonly who: string;
  /** Begun or, before that, submitted; milliseconds since the epoch, as all times here. */
  readonly sinceMs: number;
  readonly endedMs?: number;
  readonly status: BoardStatus;
  /** Such as `add 2, change 1`. Empty: nothing to tell. */
  readonly what: string;
};

export type BoardState = {
  readonly name: string;
  /** Of the last time it was written as a whole. */
  readonly changedMs: number;
  readonly objects: number;
  /** It is encrypted, and its key is not here: what is in it is not shown. */
  readonly sealed: boolean;
  readonly holder?: {
    readonly who: string;
    readonly operation: string;
    readonly sinceMs: number;
  };
  readonly lastRun?: BoardRun;
  /** Runs that wait for an approval. */
  readonly waiting: number;
};

export type BoardEvent = { readonly atMs: number; readonly text: string };

export type Approval = {
  readonly who: string;
  readonly atMs: number;
  /** Consents by kind; none where the plan needed none. */
  readonly kinds: readonly string[];
};

/** What may be approved: a plan, and the consents it still lacks. */
export type ApprovalNeed = {
  readonly planId: string;
  readonly kinds: readonly { readonly kind: string; readonly addresses: readonly string[] }[];
};

export type BoardRunDetail = BoardRun & {
  /** Absent: there is none, or it cannot be read here (`sealed`). */
  readonly plan?: Plan;
  readonly sealed: boolean;
  readonly need?: ApprovalNeed;
  readonly approvals: readonly Approval[];
  /** What was done; absent before that, and where it cannot be read. */
  readonly record?: RunRecord;
  /** Oldest first; the last ones, where there are many. */
  readonly events: readonly BoardEvent[];
  readonly eventsLeftOut: number;
  /** Who wants it to end, where somebody does. */
  readonly cancellation?: { readonly who: string; readonly atMs: number };
  /** Why it stopped or waits, in words. */
  readonly message?: string;
  /** Of its plan as it is saved, also where that cannot be read here. Empty: it has none. */
  readonly planId: string;
  readonly mayDecline: boolean;
  readonly mayCancel: boolean;
};

/** One report of drift. */
export type DriftPoint = {
  readonly createdMs: number;
  readonly objects: number;
  /** Objects that differ or are missing. */
  readonly found: number;
};

export type BoardDrift = {
  /** Oldest first. */
  readonly reports: readonly DriftPoint[];
  /** Objects that the last report found. */
  readonly found: readonly { readonly address: string; readonly verdict: string }[];
  /** When workers look again: an expression of cron, in a time zone. */
  readonly schedule?: { readonly cron: string; readonly zone: string };
};

export type BoardAgent = {
  readonly kind: "worker" | "agent";
  readonly name: string;
  /** Where it runs, and the like. */
  readonly detail: string;
  readonly version: string;
  readonly seenMs: number;
  /** `idle`: there, with nothing to do. `silent`: it has given no sign of life for long. */
  readonly now: "present" | "absent" | "at work" | "idle" | "silent";
};

export type AuditEntry = {
  readonly atMs: number;
  readonly who: string;
  readonly via: string;
  /** Such as `approve` or `login`. */
  readonly action: string;
  /** Id of a run, or name of a state. */
  readonly subject: string;
  readonly detail: string;
};

export type RunFilter = {
  readonly state?: string;
  readonly status?: BoardStatus;
  /** Part of the id, the state or the name of who ran it. */
  readonly text?: string;
};

/** What became of something a person asked for. */
export type Deed =
  /** `told`: what became of it, where that is not what was asked for. */
  | { readonly done: true; readonly told?: string }
  /** Refused: why, and the way out. */
  | { readonly done: false; readonly why: string; readonly fix: string };

/** All of it rejects with `StoreError` where the database cannot be used. */
export type Board = {
  /** For people, without a secret. */
  readonly location: string;
  /** By name. */
  readonly states: (text: string, paging: Paging) => Promise<Rows<BoardState>>;
  readonly state: (name: string) => Promise<BoardState | undefined>;
  /** The last one first. */
  readonly runs: (filter: RunFilter, paging: Paging) => Promise<Rows<BoardRun>>;
  readonly run: (id: string) => Promise<BoardRunDetail | undefined>;
  /** Runs that wait for an approval, in all. */
  readonly waiting: () => Promise<number>;
  readonly drift: (state: string) => Promise<BoardDrift>;
  readonly agents: () => Promise<readonly BoardAgent[]>;
  readonly audit: (paging: Paging) => Promise<Rows<AuditEntry>>;
  /** Approves this plan of a run and no other one. What is done and its audit are one thing. */
  readonly approve: (
    run: string,
    approved: { readonly planId: string; readonly kinds: readonly string[] },
    person: Person,
  ) => Promise<Deed>;
  /** Says no to this plan of a run, which ends it. */
  readonly decline: (run: string, planId: string, person: Person) => Promise<Deed>;
  /**
   * Takes back what no worker has, with this plan or, where that is empty, with none; asks a worker
   * that has the run to stop it.
   */
  readonly cancel: (run: string, planId: string, person: Person) => Promise<Deed>;
  /** Of logins, and of what was refused. */
  readonly note: (entry: Omit<AuditEntry, "atMs">) => Promise<void>;
  readonly close: () => Promise<void>;
};
