/**
 * Calls of a provider's session as data, and the port by which they travel to a site: an engine
 * offers them here, and an agent takes them there (`agent.ts`).
 */

import type { SiteAgent } from "../model/fleet/site-agent.ts";
import type { RemoteErrorDetail } from "../model/operation/remote-error.ts";
import type { SendAttempt } from "../model/provider/provider.ts";
import type { Value } from "../model/value/value.ts";

/**
 * What calls and answers look like. Engine and agent must agree on it, whatever their versions: it
 * is raised by every change that the other side would misread.
 */
export const siteProtocol = 1;

/** Names of a session's methods that travel. A ticket is a secret of seconds, and does not. */
export const readingMethods = [
  "instance",
  "read",
  "poll",
  "findTask",
  "facts",
  "outlook",
  "version",
  "serverTime",
  "list",
  "listContent",
  "readData",
  "survey",
  "toldChanges",
] as const;
/** Those after which something may be another way there. */
export const changingMethods = ["send", "cancel", "forsake", "act"] as const;

export type ReadingMethod = (typeof readingMethods)[number];
export type ChangingMethod = (typeof changingMethods)[number];
/** `open` and `close` are of the session itself. */
export type CallMethod = ReadingMethod | ChangingMethod | "open" | "close";

/** Which lock of which recorded state stands behind a change. */
export type FenceMark = { readonly state: string; readonly fence: string };

export type SiteCall = {
  readonly protocol: number;
  /** Of vmform, for messages. */
  readonly version: string;
  readonly site: string;
  /** Of the session that travels: each has one of its own at the site. */
  readonly session: string;
  /** With alias, as `daemon.east`. */
  readonly provider: string;
  /** Secrets stand as references, and are resolved at the site. */
  readonly settings: Value;
  readonly access: "read" | "mutate";
  readonly method: CallMethod;
  readonly words: readonly unknown[];
  /** It must not be started after this, milliseconds of the clock of the channel. */
  readonly notAfterMs: number;
  /** When nobody waits for its answer any more, of the same clock. */
  readonly endByMs: number;
  /** Of a change that is made under the lock of a recorded state. */
  readonly fence?: FenceMark;
  /** Of a change that a plan wants: for people who look what became of it. */
  readonly operation?: SendAttempt & { readonly operationId: string };
};

/** A session as it was opened at a site. */
export type OpenedThere = {
  readonly url?: string;
  /** Methods that it has. */
  readonly methods: readonly string[];
  /** Of the session there: another one means that the agent has opened it again. */
  readonly incarnation: string;
};

export type ErrorThere = Omit<RemoteErrorDetail, "cause">;

/** Why an agent has not done a call. Nothing was sent for it. */
export type RefusalReason =
  | "late"
  | "fenced"
  | "claim"
  | "lost"
  | "read-only"
  | "endpoint"
  | "protocol"
  | "ending";

export type SiteAnswer =
  | { readonly status: "done"; readonly value: unknown; readonly incarnation: string }
  | { readonly status: "failed"; readonly error: ErrorThere }
  | { readonly status: "refused"; readonly reason: RefusalReason; readonly message: string };

/** What stands at a site just now. */
export type Presence = SiteAgent & {
  /** Another one when the agent was started again. */
  readonly agent: string;
};

/** A call that could not be handed over; `offered`: it may be there all the same. */
export class ChannelError extends Error {
  readonly offered: boolean;

  constructor(message: string, offered: boolean, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ChannelError";
    this.offered = offered;
  }
}

/** The engine's end. Every function throws `ChannelError`. */
export type Channel = {
  /** For messages. */
  readonly place: string;
  /**
   * What time it is by the clock of the channel, and which lock this run has; absent where it has
   * none. A `ChannelError` where it had one and lost it.
   */
  readonly mark: () => Promise<{ readonly nowMs: number; readonly fence?: FenceMark }>;
  /** Hands a text over, under an id that is made here. */
  readonly offer: (site: string, id: string, text: string) => Promise<void>;
  /** The answer; undefined when none has come within so many milliseconds. */
  readonly answer: (site: string, id: string, withinMs: number) => Promise<string | undefined>;
  /**
   * From now on nobody takes it, unless somebody has. `isKnown`: it was handed over, so that
   * somebody has taken it where it is not there any more; else it has never come, and is kept out
   * for good.
   */
  readonly withdraw: (
    site: string,
    id: string,
    isKnown: boolean,
  ) => Promise<"never-taken" | "taken">;
  /** Undefined while no agent is there. */
  readonly present: (site: string) => Promise<Presence | undefined>;
};

/** A call that an agent has taken: nobody else gets it any more. */
export type TakenCall = { readonly id: string; readonly text: string };

/** What holds of a taken call right before it is done. */
export type Standing = {
  readonly nowMs: number;
  /** This agent is still the one of its site, and the call still its own. */
  readonly claimed: boolean;
  /** The lock behind the change, as recorded state has it now. Absent: there is no such state. */
  readonly fence?: string;
};

export type Serving = {
  /** Does not reject, and gives the text of its answer. */
  readonly work: (taken: TakenCall) => Promise<string>;
  /** The answer of a call that was taken for this agent, and never came to it. */
  readonly lost: string;
};

/** The agent's end. */
export type Counter = {
  /** Hands out calls until `stop`, each to one `work`. */
  readonly serve: (serving: Serving) => Promise<void>;
  /** Throws where nobody can tell. */
  readonly standing: (taken: TakenCall, fence: FenceMark | undefined) => Promise<Standing>;
  /** Takes nothing more. What was taken goes on. */
  readonly stop: () => Promise<void>;
};
