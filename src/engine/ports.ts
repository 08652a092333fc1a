/** What the engine needs of the world. Everything with an effect comes in here. */

import type { Clock } from "../model/clock.ts";
import type { EventSink } from "../model/operation/event.ts";
import type { Rules } from "../model/plan/rules.ts";
import type { ProviderSession, TypeRegistry } from "../model/provider/provider.ts";
import type { Store } from "../model/recorded/store.ts";
import type { DeferredValue, ReferenceLookup } from "../model/value/expression.ts";
import type { PlannedValue, Value } from "../model/value/value.ts";

export type EnginePorts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly types: TypeRegistry;
  /** Opens a session; settings hold secrets as references, resolved by the opener. */
  readonly open: (
    provider: string,
    settings: Value,
    access: SessionAccess,
  ) => Promise<ProviderSession>;
  readonly events: EventSink;
  /** A fresh random id. */
  readonly newId: () => string;
  readonly evaluate: (deferred: DeferredValue, lookup: ReferenceLookup) => Evaluated;
  readonly rules: Rules;
  /** How many requests all sessions together have sent so far. */
  readonly requestsSent: () => number;
};

/** A `read` session refuses to send anything that mutates. */
export type SessionAccess = "read" | "mutate";

export type Evaluated = { readonly value: PlannedValue; readonly problems: readonly string[] };

/** How a user stops a run: once to drain, twice to stop at once. */
export type Interrupts = {
  readonly onDrain: (listener: () => void) => void;
  /** The user wants the remote tasks that run to be cancelled. */
  readonly onCancel?: (listener: () => void) => void;
};
