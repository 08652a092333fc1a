/** The store port: where recorded state is kept durable, and who may change it. */

import type { LockInfo } from "../../lib/lock/lock-info.ts";
import type { Diagnostic } from "../said/diagnostic.ts";
import type { EndpointSlots } from "./endpoint-slots.ts";
import type { JournalEntry } from "./journal.ts";
import type { RecordedState } from "./recorded.ts";
import type { RunHead, RunRecord, RunSaving } from "./run-record.ts";

/** Proof of holding the lock; every write names it and is refused when the lock was lost. */
export type Fence = { readonly lockId: string };

export type StoredState = {
  readonly snapshot: RecordedState | undefined;
  /** Entries after the snapshot's position, oldest first. */
  readonly journal: readonly JournalEntry[];
  /** What whoever reads it has to know, although it can be used. */
  readonly remarks?: readonly Diagnostic[];
};

export interface Store {
  /** Where it is, for people. */
  readonly location: string;
  /** Snapshot and later entries; tolerates one torn last line, nothing else. Throws StoreError. */
  read(): Promise<StoredState>;
  /** Makes entries durable in order; concurrent calls share one write. Returns the position. */
  append(entries: readonly JournalEntry[], fence: Fence): Promise<number>;
  /** Replaces the snapshot by `state`, which contains every entry up to its own position. */
  compact(state: RecordedState, fence: Fence): Promise<void>;
  /** Records of runs, in the order in which they began. What cannot be read is left out. */
  runs(): Promise<readonly RunRecord[]>;
  /** The same, at a cost that hardly grows with what those runs did. */
  runHeads(): Promise<readonly RunHead[]>;
  /** Adds records; one with an id that is there takes its place. Recorded state stays as it is. */
  saveRuns(records: readonly RunRecord[], saving: RunSaving, fence: Fence): Promise<void>;
  lock(operation: string, timeoutMs: number): Promise<Fence>;
  unlock(fence: Fence): Promise<void>;
  /** The present holder, if any. */
  holder(): Promise<LockInfo | undefined>;
  forceUnlock(lockId: string): Promise<void>;
  /** For the holder of the lock. Absent, or undefined, where a store knows of no other runs. */
  endpointSlots?(): Promise<EndpointSlots | undefined>;
  /** Ends what was opened; a lock that is held is given back as when the process ends. */
  close(): Promise<void>;
}

/** A store problem the user must see; `fix` says the way out. */
export class StoreError extends Error {
  readonly diagnostic: Diagnostic;
  readonly code: string;
  readonly fix: string | undefined;

  constructor(diagnostic: Diagnostic, cause?: unknown) {
    super(diagnostic.detail, cause === undefined ? undefined : { cause });
    this.name = "StoreError";
    this.diagnostic = diagnostic;
    this.code = diagnostic.code;
    this.fix = diagnostic.fix;
  }
}
