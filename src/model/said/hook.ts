/** Notification hooks: who is told when something has happened, and what is said. */

import type { SecretReference } from "../value/secret-reference.ts";

export const hookEvents = ["drift", "applied", "failed", "needs_approval"] as const;
export type HookEvent = (typeof hookEvents)[number];

export type Hook = (
  | { readonly kind: "command"; readonly words: readonly string[] }
  | {
      readonly kind: "webhook";
      readonly url: string | SecretReference;
      /** Value of the header of that name. */
      readonly authorization?: SecretReference;
    }
) & {
  /** Folder of the configuration, where its files are and its program is started. */
  readonly directory: string;
  /** Limit of one try, milliseconds. */
  readonly limitMs: number;
  readonly tries: number;
};

export type Hooks = { readonly [event in HookEvent]?: readonly Hook[] };

/** What is said. No secret is in it. */
export type HookMessage = {
  /** The same for each try: a receiver that has it already passes over it. */
  readonly id: string;
  readonly event: HookEvent;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** As in `vmform apply`. */
  readonly command: string;
  readonly directory: string;
  readonly workspace: string;
  /** What recorded state is called in its database. */
  readonly state?: string;
  /** What was submitted to workers, of which this is a run. */
  readonly submission?: string;
  readonly simulated: boolean;
  /** One line for people. */
  readonly summary: string;
};
