/** Actions: what a person has done once to a recorded object, and how that ended. Never planned. */

import type { Consent } from "../operation/disruption.ts";
import type { RequestPreview } from "../operation/operation.ts";
import type { Address } from "../value/address.ts";
import type { Value } from "../value/value.ts";
import type { ActionType } from "./provider.ts";

/**
 * The action that ends a remote task instead of beginning one. It may run beside another run, whose
 * task it is for, and has succeeded when the task has ended otherwise than in success.
 */
export const cancelTaskAction = "cancel-task";

/** One action on one recorded object, before anything is sent. */
export type ActionOrder = {
  readonly address: Address;
  /** Whose record of it counts. Absent: that of the default one. */
  readonly workspace?: string;
  readonly type: string;
  /** With alias, as `cloud.east`. */
  readonly provider: string;
  /** Where the provider's settings name an endpoint. */
  readonly url?: string;
  readonly identity: string;
  /** As last read. */
  readonly name?: string;
  readonly action: ActionType;
  /** Absent where what is sent depends on what the server tells. */
  readonly request?: RequestPreview;
  /** A task that it begins can be canceled by another action. */
  readonly cancelable: boolean;
  /** Power that the configuration wanted when it was last applied. */
  readonly wantedPower?: string;
  /** What it is about and what is lost by it, as read just now. */
  readonly remarks?: readonly string[];
  /** Why nothing has to be done: then nobody is asked. */
  readonly needless?: string;
  /** What exactly was told of. */
  readonly subject?: Value;
  /** What policies want to be agreed to by name. Absent: nothing. */
  readonly consents?: readonly Consent[];
};

/** How far a remote task is, in the server's own word. */
type TaskWord = { readonly word: string; readonly progress?: number };

export type ActionEnding =
  /** `message`: what ended a task that was to be canceled. */
  | { readonly status: "success"; readonly message?: string }
  /** Nothing was sent, since nothing has to be done. */
  | { readonly status: "needless"; readonly message: string }
  | { readonly status: "failed"; readonly message: string }
  /** Its task is gone, and nobody can tell how it ended. */
  | { readonly status: "vanished" }
  /** The user asked to stop following; the task goes on. */
  | ({ readonly status: "left" } & TaskWord)
  /** The task goes on after its time limit. */
  | ({ readonly status: "overdue"; readonly limitMs: number } & TaskWord);

/** What is told while an action is done. `stopping`: asked to stop, and the reply is waited for. */
export type ActionStep =
  | { readonly kind: "started" }
  | { readonly kind: "stopping" }
  | ({ readonly kind: "progress" } & TaskWord);

/** What has to be agreed to: disruptions, and that policies do not hold. */
export function consentsOf({
  action,
  consents = [],
}: Pick<ActionOrder, "action" | "consents">): readonly Consent[] {
  return [...action.disrupts, ...consents];
}

/** Consents that nobody has given. */
export function missingConsents(
  order: Pick<ActionOrder, "action" | "consents">,
  allowed: readonly Consent[],
): readonly Consent[] {
  return consentsOf(order).filter((consent) => !allowed.includes(consent));
}
