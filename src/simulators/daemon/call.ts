/** One request to the daemon, as its route hands it on, and what every handler needs. */

import type { Answer, Exchange, SimulatorReply } from "../kit/answer.ts";
import { changed, unchanged } from "../kit/answer.ts";
import type { SimulatorClock } from "../kit/clock.ts";
import type { DaemonState, OperationStart } from "./daemon-state.ts";
import { beginOperation, settle, takeOutcome } from "./daemon-state.ts";
import type { Refusal } from "./refusal.ts";
import { plainRefusal, refusalReply, vixRefusal } from "./refusal.ts";

export type DaemonCall = {
  readonly state: DaemonState;
  readonly clock: SimulatorClock;
  /** Aborted when the simulator stops; work that has begun stays in the world. */
  readonly signal: AbortSignal;
  /** Simulated time of the request, milliseconds. */
  readonly nowMs: number;
  /** Decoded variable path segments, in order. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly body: string;
  readonly exchange: Exchange;
};

export function refuse(refusal: Refusal): Answer {
  return unchanged(refusalReply(refusal));
}

/** The variable path segment at `index`; the route's pattern says how many there are. */
export function segmentOf(call: DaemonCall, index: number): string {
  const segment = call.segments[index];
  if (segment === undefined) throw new RangeError(`the route has no segment ${index}`);
  return segment;
}

/**
 * Does work that takes time: everything the daemon does is one synchronous request, without task
 * objects (wire facts B.4). The work goes on when the client leaves, and when the simulator stops.
 */
export async function perform(
  call: DaemonCall,
  start: OperationStart,
  operationName: string,
  success: (state: DaemonState) => SimulatorReply,
): Promise<Answer> {
  const { state, clock } = call;
  const operation = beginOperation(state, start);
  if (operation.endMs > call.nowMs) {
    await call.exchange.accepted();
    await clock.until(operation.endMs, call.signal);
  }
  settle(state, clock.now());
  const outcome = takeOutcome(state, operation.n);
  if (outcome === "running") throw new Error(`operation ${operation.n} did not end in time`);
  if (outcome === "superseded") return refuse(vixRefusal(10, operationName));
  return changed(success(state));
}

/** Members of a JSON object body by their names in lower case. */
export type JsonBody = { readonly members: ReadonlyMap<string, unknown> };

/**
 * A JSON object body, its names in lower case: the daemon matches them without case and ignores
 * unknown ones (wire facts B.4). Anything but an object is refused with a decoder's text (B.2).
 */
export function readJsonBody(body: string): JsonBody | Refusal {
  if (body.trim() === "") return plainRefusal("EOF");
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return plainRefusal(`invalid character ${JSON.stringify(body.trim()[0])} in JSON body`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return plainRefusal("json: cannot unmarshal value into an object");
  }
  const members = Object.entries(value).map(
    ([name, member]) => [name.toLowerCase(), member] as const,
  );
  return { members: new Map<string, unknown>(members) };
}

/** Text member of a body: "" when absent or null, a refusal when it is not text. */
export function textMember(body: JsonBody, name: string): string | Refusal {
  const value = body.members.get(name) ?? "";
  if (typeof value === "string") return value;
  return plainRefusal(`json: cannot unmarshal ${typeof value} into field ${name} of type string`);
}
