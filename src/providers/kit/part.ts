/**
 * How resource types and data sources join a provider: those that are read together are one part.
 * `P` is what a part works with, an open connection and what a session has learned.
 */

import type { PreparedOperation } from "../../model/operation/operation.ts";
import type { Observation, Wanted } from "../../model/provider/observation.ts";
import type {
  ActionOutlook,
  Discovered,
  FactsAnswer,
  FactsRequest,
  ResourceType,
  ScreenTicket,
  SendResult,
} from "../../model/provider/provider.ts";
import type { BeginEntry } from "../../model/recorded/begin-entry.ts";
import type { Attributes, Value } from "../../model/value/value.ts";
import type { ActionCall } from "./vm/actions.ts";

/** Every function throws `RemoteError`, and is called for types of the part alone. */
export type Part<P> = {
  readonly types: readonly ResourceType[];
  /** Reads the computed attributes of a data source, by its name. */
  readonly data?: {
    readonly [name: string]: (ports: P, query: Attributes) => Promise<Attributes>;
  };
  /** Same order, one observation each. */
  readonly read?: (ports: P, wanted: readonly Wanted[]) => Promise<readonly Observation[]>;
  readonly send?: (
    ports: P,
    operation: PreparedOperation,
    deadlineMs: number,
  ) => Promise<SendResult>;
  readonly findTask?: (ports: P, begin: BeginEntry) => Promise<Value | undefined>;
  /** Same order, one answer each. */
  readonly facts?: (ports: P, requests: readonly FactsRequest[]) => Promise<readonly FactsAnswer[]>;
  readonly act?: (ports: P, call: ActionCall) => Promise<SendResult>;
  readonly outlook?: (ports: P, action: string, identity: string) => Promise<ActionOutlook>;
  readonly ticket?: (ports: P, type: string, identity: string) => Promise<ScreenTicket>;
  /** All objects of a type. */
  readonly list?: { readonly [type: string]: (ports: P) => Promise<readonly Discovered[]> };
  /** Content of these containers. */
  readonly listContent?: (
    ports: P,
    containers: readonly string[],
  ) => Promise<readonly Discovered[]>;
};
