/** What there is in the cloud in memory: VMs, their snapshots, remote tasks. */

import type { PowerState } from "../../src/model/operation/power.ts";

export type CloudSnapshot = {
  /** By the server's clock; part of its identity. */
  readonly created: string;
  readonly owner: "us" | "others";
  readonly label: string;
  /** By the true clock. */
  readonly madeMs: number;
};

export type CloudVm = {
  /** Its path, which is its identity. */
  readonly id: string;
  name: string;
  vapp: string;
  datastore: string;
  power: PowerState;
  nested: boolean;
  /** It is suspended and nothing of it is deployed: undeploy is refused. */
  shelved: boolean;
  /** Nested may be set whatever the power is. */
  readonly offersNested: boolean;
  /** Its guest answers a graceful shutdown. */
  readonly hasTools: boolean;
  snapshot: CloudSnapshot | undefined;
  /** Its guest was asked to shut down, and the task has ended well before it did. */
  stopping?: boolean;
};

export type CloudTask = {
  readonly id: string;
  readonly vm: string;
  readonly vapp: string;
  /** What is done, as a list of tasks tells it: no target, no label. */
  readonly operation: string;
  readonly user: "us" | "others";
  /** By the server's clock. */
  readonly startMs: number;
  /** By the true clock; a word of a running task until then. */
  readonly endMs: number;
  status: "running" | "success" | "error" | "canceled";
  /** The process that asked for it, and until when it may take, where it was ours. */
  readonly by: object | undefined;
  readonly limitMs: number;
};
