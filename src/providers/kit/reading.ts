/** One bulk pass of reading: every object is answered for, and a failure hides that one alone. */

import type { RemoteError } from "../../model/operation/remote-error.ts";
import type { Observation, Wanted } from "../../model/provider/observation.ts";
import type { FactsAnswer } from "../../model/provider/provider.ts";
import type { Attributes } from "../../model/value/value.ts";
import { orElse } from "./refusal.ts";

type Unreadable = Extract<Observation, { status: "unreadable" }>;

/** How an object of each type is observed. */
export type Observers = {
  readonly [type: string]: (object: Wanted) => Promise<Observation>;
};

export function failed(reason: string): Unreadable {
  return { status: "unreadable", rule: "failed", reason };
}

/** Nothing can be read, of no object: the endpoint does not answer. */
export function silent(reason: string): Unreadable {
  return { ...failed(reason), endpoint: true };
}

export function missing(proof: string): Extract<Observation, { status: "missing" }> {
  return { status: "missing", proof };
}

/** `absent from the complete list of 3 VMs`. */
export function unlistedAmong(many: number, what = "VM"): string {
  return `absent from the complete list of ${count(many, what)}`;
}

/** `3 VMs`. */
export function count(many: number, what = "VM"): string {
  return `${many} ${what}${many === 1 ? "" : "s"}`;
}

/** Same order, one observation each. */
export function observeEach(
  wanted: readonly Wanted[],
  observers: Observers,
  explain: (error: RemoteError) => Observation = ({ message }) => failed(message),
): Promise<readonly Observation[]> {
  return Promise.all(
    wanted.map((object) => {
      const observe = observers[object.type];
      if (observe === undefined) throw new Error(`${object.type} is read elsewhere`);
      return orElse(() => observe(object), explain);
    }),
  );
}

/** Same order, one answer each: the facts that `ask` gives, or why there are none. */
export function answerEach<R>(
  requests: readonly R[],
  ask: (request: R) => Promise<Attributes>,
): Promise<readonly FactsAnswer[]> {
  return Promise.all(
    requests.map((request) =>
      orElse(
        async (): Promise<FactsAnswer> => ({ status: "read", facts: await ask(request) }),
        (error): FactsAnswer => ({ status: "failed", reason: error.message }),
      ),
    ),
  );
}
