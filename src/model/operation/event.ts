/** Facts the engine emits while it works; views and the JSON stream are made of them. */

import type { Diagnostic } from "../said/diagnostic.ts";
import type { Address } from "../value/address.ts";
import type { OperationId } from "./operation.ts";

/** Operations that are ready and may not start yet, by what is in their way. */
export type QueueGroup = {
  readonly addresses: readonly Address[];
  /** Such as `cloud_vm.a, at work on the same object or beside it`. */
  readonly behind: string;
};

/** How far an apply is; counted when it is asked for. */
export type ApplyOverview = {
  readonly total: number;
  readonly done: number;
  readonly queue: readonly QueueGroup[];
};

export type EngineEvent =
  /** `lookups` of the `count` objects are recorded nowhere: it is looked whether they are there. */
  | { readonly kind: "refresh-started"; readonly count: number; readonly lookups: number }
  | {
      readonly kind: "refresh-ended";
      readonly count: number;
      readonly lookups: number;
      readonly elapsedMs: number;
      /** Requests sent meanwhile, of all providers together. */
      readonly requests: number;
    }
  /** Recovery found an operation begun and not ended, and waits for it to settle. */
  | {
      readonly kind: "recovery-started";
      readonly address: Address;
      readonly id: OperationId;
      readonly verb: string;
      readonly deadlineMs: number;
    }
  | {
      readonly kind: "recovery-ended";
      readonly address: Address;
      readonly id: OperationId;
      readonly outcome: "success" | "failed" | "unknown";
      readonly message: string;
    }
  /** Operations are being run from here on; the overview costs time in proportion to them. */
  | { readonly kind: "apply-started"; readonly overview: () => ApplyOverview }
  | { readonly kind: "apply-ended" }
  | {
      readonly kind: "operation-started";
      readonly address: Address;
      readonly id: OperationId;
      readonly summary: string;
      /** When it is given up; absent where its time begins later. */
      readonly untilMs?: number;
    }
  | {
      readonly kind: "operation-waiting";
      readonly address: Address;
      readonly id: OperationId;
      readonly message: string;
    }
  /** A remote task goes on. */
  | {
      readonly kind: "operation-progress";
      readonly address: Address;
      readonly id: OperationId;
      /** The server's own word, such as `running`. */
      readonly word: string;
      /** 0 to 100; absent where the server tells none. */
      readonly progress?: number;
    }
  | {
      readonly kind: "operation-ended";
      readonly address: Address;
      readonly id: OperationId;
      readonly outcome: "success" | "failed" | "unknown" | "skipped";
      readonly elapsedMs: number;
      readonly message?: string;
    }
  /** A read is repeated, since the server said "not now", or a connection is made again. */
  | { readonly kind: "request-retried"; readonly request: string; readonly message: string }
  /** The run stops: nothing new is begun. Of what is running, `tasks` are remote tasks. */
  | { readonly kind: "draining"; readonly running: number; readonly tasks: number }
  /** The server was asked to cancel a remote task; `problem` when that failed. */
  | {
      readonly kind: "task-cancelled";
      readonly address: Address;
      readonly id: OperationId;
      readonly problem?: string;
    }
  | { readonly kind: "wait-started"; readonly wait: Wait }
  | { readonly kind: "wait-ended"; readonly wait: Wait }
  | Heartbeat
  | { readonly kind: "diagnostic"; readonly diagnostic: Diagnostic };

/** Signs of life, while nothing else is to be told. */
export type Heartbeat =
  | (StillWaiting & {
      readonly kind: "still-running";
      readonly address: Address;
      readonly id: OperationId;
      readonly done: number;
      readonly total: number;
    })
  /** Many operations run: one line stands for all. */
  | {
      readonly kind: "still-running-many";
      readonly running: number;
      readonly done: number;
      readonly total: number;
      readonly elapsedMs: number;
      readonly longest: { readonly address: Address; readonly what: string };
    }
  | { readonly kind: "still-queued"; readonly queue: readonly QueueGroup[] }
  | (StillWaiting & { readonly kind: "still-waiting"; readonly address?: Address });

type StillWaiting = {
  /** What is being done. */
  readonly what: string;
  readonly elapsedMs: number;
  readonly untilMs?: number;
  /** The last words of the other side. */
  readonly words?: string;
  readonly wayOut?: string;
};

export type EventSink = (event: EngineEvent) => void;

export type Wait = {
  /** Such as `reading 24 objects`: what is being done all the time. */
  readonly what: string;
  /**
   * `phase`: a part of the command. `work`: one thing in it, told before the phase. `request`: a
   * reply or a pause between two attempts, told beside what it is for.
   */
  readonly rank: "phase" | "work" | "request";
  readonly address?: Address;
  /** The running operation that waits so; absent outside of an apply. */
  readonly id?: OperationId;
  /** When it is given up, milliseconds since the epoch. */
  readonly untilMs?: number;
  /** What a person may do who does not want to wait. */
  readonly wayOut?: string;
  /** The last words of the other side, or how far it is; asked for when it is told. */
  readonly words?: () => string | undefined;
  /** It is worth a line before it has lasted: it will. */
  readonly announced?: boolean;
};
