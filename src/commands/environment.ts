/** What commands need of the world; wired by `main`. No command touches a terminal. */

import type { EnginePorts } from "../engine/ports.ts";
import type { Clock } from "../model/clock.ts";
import type { EventSink } from "../model/event.ts";
import type { TypeRegistry } from "../model/provider.ts";
import type { RecordedState } from "../model/recorded.ts";
import type { ResourceSchema } from "../model/resource-schema.ts";
import type { Store, StoreError } from "../model/store.ts";

export type CommandStore = Store & {
  /** Saves a state that its own place did not take; resolves to the error to show. */
  writeEmergencyCopy(state: RecordedState, cause: unknown): Promise<StoreError>;
};

/** Providers of one run; with an embedded simulator, requests are dialled to it. */
export type ProviderAccess = {
  readonly open: EnginePorts["open"];
  readonly close: () => Promise<void>;
};

export type EmbeddedSimulator = {
  /** World file that seeds it. */
  readonly world: string;
  /** File that keeps the world between runs. */
  readonly persist: string;
};

export type CommandEnvironment = {
  readonly version: string;
  readonly types: TypeRegistry;
  readonly providerSettings: { readonly [provider: string]: ResourceSchema };
  readonly clock: Clock;
  readonly newId: () => string;
  /** Environment variables that begin with `VMFORM_VAR_`, without it. */
  readonly variables: { readonly [name: string]: string };
  /** Names of the files in a folder. */
  readonly listFolder: (path: string) => Promise<readonly string[]>;
  readonly readFile: (path: string) => Promise<Uint8Array>;
  /** Replaces the file whole, readable by its owner only. */
  readonly writeFile: (path: string, text: string) => Promise<void>;
  readonly openStore: (path: string) => CommandStore;
  readonly openProviders: (simulator: EmbeddedSimulator | undefined) => Promise<ProviderAccess>;
  readonly events: EventSink;
};

/** An error the user can mend, with the way out. */
export class CommandError extends Error {
  readonly fix: string | undefined;

  constructor(message: string, fix?: string) {
    super(message);
    this.name = "CommandError";
    this.fix = fix;
  }
}
