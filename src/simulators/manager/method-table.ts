/** How methods are written down: on which type, with which parameters, who may call them. */

import type { RequestClass } from "../kit/request-log.ts";
import type { MethodAnswer, MethodCall, UserCall } from "./method-call.ts";

export type ManagerMethod = {
  readonly name: string;
  /** Type of the object that it is called on. */
  readonly on: string;
  /** Parameters behind `_this`, in the notation of the schema. */
  readonly takes: string;
  /** What it gives, in the notation; "" for nothing. */
  readonly gives: string;
  readonly class: RequestClass;
  /** What a user with rights to read only is refused for; null where reading is enough. */
  readonly privilege: string | null;
} & (
  | { readonly needs: "nothing"; readonly answer: (call: MethodCall) => MethodAnswer }
  | { readonly needs: "session"; readonly answer: (call: UserCall) => MethodAnswer }
);

export type Signature = readonly [name: string, on: string, takes: string, gives: string];

/** Needs no session. */
export const open = (
  signature: Signature,
  requestClass: RequestClass,
  answer: (call: MethodCall) => MethodAnswer,
): ManagerMethod => ({
  ...described(signature),
  class: requestClass,
  privilege: null,
  needs: "nothing",
  answer,
});

export const reading = (
  signature: Signature,
  answer: (call: UserCall) => MethodAnswer,
  requestClass: RequestClass = "read",
): ManagerMethod => ({
  ...described(signature),
  class: requestClass,
  privilege: null,
  needs: "session",
  answer,
});

export const changing = (
  signature: Signature,
  privilege: string,
  answer: (call: UserCall) => MethodAnswer,
): ManagerMethod => ({
  ...described(signature),
  class: "mutate",
  privilege,
  needs: "session",
  answer,
});

function described([name, on, takes, gives]: Signature) {
  return { name, on, takes, gives };
}
