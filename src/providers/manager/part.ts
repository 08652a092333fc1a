/**
 * What the resource types of host management share: the open connection, and the shape in which
 * each group of types that are read together joins the provider.
 */

import type { HttpClient } from "../../http/call.ts";
import type { BeginEntry } from "../../model/begin-entry.ts";
import type { Clock } from "../../model/clock.ts";
import type { Observation, Wanted } from "../../model/observation.ts";
import type { PreparedOperation } from "../../model/operation.ts";
import type {
  ActionOutlook,
  DataSourceType,
  Discovered,
  FactsAnswer,
  FactsRequest,
  ResourceType,
  SendResult,
  TaskStatus,
} from "../../model/provider.ts";
import type { Attributes, Value } from "../../model/value.ts";
import { type ActionCall } from "../kit/actions.ts";
import type { ManagerClient, ManagerConnection } from "./client/client.ts";
import type { ManagerSettings } from "./client/settings.ts";

export type ManagerPorts = {
  readonly client: ManagerClient;
  /** Names of hosts by id, as far as this session has seen them. */
  readonly hostNames: Map<string, string>;
  /** As `hostNames`, of datastores. */
  readonly datastoreNames: Map<string, string>;
  readonly settings: ManagerSettings;
  /** Of the same endpoint, for what is no SOAP. */
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly guarded: ManagerConnection["guarded"];
};

/** Every function throws `RemoteError`; `type` is one of the part's own. */
export type Part = {
  readonly types: readonly ResourceType[];
  readonly dataTypes: readonly DataSourceType[];
  /** Same order, one observation each. */
  readonly read: (
    ports: ManagerPorts,
    wanted: readonly Wanted[],
  ) => Promise<readonly Observation[]>;
  readonly send: (
    ports: ManagerPorts,
    operation: PreparedOperation,
    deadlineMs: number,
  ) => Promise<SendResult>;
  readonly findTask?: (ports: ManagerPorts, begin: BeginEntry) => Promise<Value | undefined>;
  /** Same order, one answer each. */
  readonly facts?: (
    ports: ManagerPorts,
    requests: readonly FactsRequest[],
  ) => Promise<readonly FactsAnswer[]>;
  readonly act?: (ports: ManagerPorts, call: ActionCall) => Promise<SendResult>;
  readonly outlook?: (
    ports: ManagerPorts,
    action: string,
    identity: string,
  ) => Promise<ActionOutlook>;
  readonly list?: (ports: ManagerPorts, type: string) => Promise<readonly Discovered[]>;
  /** Content of these containers. */
  readonly listContent?: (
    ports: ManagerPorts,
    type: string,
    containers: readonly string[],
  ) => Promise<readonly Discovered[]>;
  readonly readData?: (ports: ManagerPorts, type: string, query: Attributes) => Promise<Attributes>;
  /** Follows a task that tells more than how far it is; undefined for a handle of another part. */
  readonly poll?: (ports: ManagerPorts, handle: Value) => Promise<TaskStatus> | undefined;
};
