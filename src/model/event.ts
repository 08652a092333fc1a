/** Facts the engine emits while it works; views and the JSON stream are made of them. */

import type { Address } from "./address.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { OperationId } from "./operation.ts";

export type EngineEvent =
  | { readonly kind: "refresh-started"; readonly count: number }
  | {
      readonly kind: "refresh-ended";
      readonly count: number;
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
  | {
      readonly kind: "operation-started";
      readonly address: Address;
      readonly id: OperationId;
      readonly summary: string;
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
  /** A read is repeated, since the server said "not now". */
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
  | { readonly kind: "diagnostic"; readonly diagnostic: Diagnostic };

export type EventSink = (event: EngineEvent) => void;
