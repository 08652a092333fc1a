/** What the resource types of host management share: the open connection, and what it has seen. */

import type { HttpClient } from "../../http/call.ts";
import type { Clock } from "../../model/clock.ts";
import type { Part } from "../kit/part.ts";
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

export type ManagerPart = Part<ManagerPorts>;
