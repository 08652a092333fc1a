/** What commands need to have work done by workers; wired by `main`. */

import type { Board } from "../../model/board/board.ts";
import type { Fleet, WorkerFleet } from "../../model/fleet/fleet.ts";
import type { Bundle } from "../../model/fleet/submission.ts";
import type { PostgresStoreSettings } from "../../model/recorded/postgres-settings.ts";

/** A server that ends with this process, or before. */
export type EmbeddedDatabase = {
  readonly url: string;
  /** What runs it, for people. */
  readonly version: string;
  /** Rejects with `CommandError` where it has ended without being asked to. */
  readonly lost: Promise<never>;
  readonly stop: () => Promise<void>;
};

export type FleetPorts = {
  /** Throws `StoreError`. */
  readonly open: (settings: PostgresStoreSettings) => Promise<Fleet>;
  /** The same for a worker, that is given up after so long without a sign of life. */
  readonly openWorker: (
    settings: PostgresStoreSettings,
    options: {
      readonly heartbeatSeconds: number;
      readonly atOnce: number;
      /** Of vmform: it does what that has packed. */
      readonly version: string;
    },
  ) => Promise<WorkerFleet>;
  /**
   * What pages show of a database. `noQueue`: why nothing can be approved here. Throws
   * `StoreError`.
   */
  readonly openBoard: (
    settings: PostgresStoreSettings,
    noQueue: { readonly why: string; readonly fix: string } | undefined,
  ) => Promise<Board>;
  /**
   * Starts the database of this folder for trials. Throws `CommandError` where that cannot be.
   */
  readonly startEmbedded: () => Promise<EmbeddedDatabase>;
  /** Statements by which an administrator lets a role have workers. Connects to nothing. */
  readonly definitions: (settings: PostgresStoreSettings) => string;
  /** A folder as it travels. Throws `CommandError` where it cannot. */
  readonly pack: (folder: string) => Promise<Bundle>;
  readonly unpack: (bytes: Uint8Array, folder: string) => Promise<void>;
  /** A folder of its owner alone, which is gone when the work has ended. */
  readonly inTemporaryFolder: <T>(work: (folder: string) => Promise<T>) => Promise<T>;
  /** The path of a file within a folder; undefined where it is none of it. */
  readonly within: (folder: string, path: string) => Promise<string | undefined>;
};
