/** Sending the resize, and what its reply tells of the partitions that were to grow. */

import type { PreparedOperation } from "../../../model/operation/operation.ts";
import { RemoteError, retold } from "../../../model/operation/remote-error.ts";
import type { SendResult } from "../../../model/provider/provider.ts";
import type { Value } from "../../../model/value/value.ts";
import { isList, isMap, memberOf } from "../../../model/value/value.ts";
import { noRequest, unsendable } from "../../kit/refusal.ts";
import type { Appliance, PostRequest } from "../client/connection.ts";
import { purposeOf } from "./layout.ts";
import { gbOfReply, type Sizes, sizesOf, sizeText } from "./size.ts";
import { storageType } from "./storage.ts";

/** New sizes by purpose, in the unit of the reply. */
type Reported = ReadonlyMap<string, number>;

/** How much of the time limit is kept for reading what became of a resize without reply. */
const readingMs = 10 * 60_000;

/**
 * The call is synchronous and may outlast its client, so no reply is no failure: the effect is
 * unknown then, and the rest of the time limit is for reading (wire facts C.2). Throws
 * `RemoteError`.
 */
export async function sendResize(
  appliance: Appliance,
  operation: PreparedOperation,
  times: { readonly nowMs: number; readonly deadlineMs: number },
): Promise<SendResult> {
  const { verb, id } = operation;
  const { identity } = operation.subject;
  const { inputs } = operation.request;
  const request = storageType.request(verb, identity, inputs);
  if (request?.contentType === undefined) throw unsendable(id, noRequest);
  const { path, contentType } = request;
  const deadlineMs = replyDeadlineMs(times.nowMs, times.deadlineMs);
  const goals = sizesOf(inputs.filesystems_gb);
  const reported = await reply(() => post(appliance, { path, contentType, deadlineMs })).catch(
    (error: unknown) => {
      throw error instanceof RemoteError ? unansweredError(error, goals, times.nowMs) : error;
    },
  );
  // What is answered takes the place of one that was not.
  const known = inputs.unanswered === undefined ? {} : { attributes: { unanswered: null } };
  if (reported === undefined) return known;
  const short = [...goals].flatMap(([partition, goal]) => shortfall(reported, partition, goal));
  if (short.length > 0) {
    throw new RemoteError({
      kind: "precondition",
      effect: "none",
      message: `the appliance grew ${short.join(", ")}; is the disk under it as large as wanted?`,
    });
  }
  return { ...known, message: grownText(reported, goals) };
}

/** A reply that cannot be read is none: the resize may run all the same. */
async function reply(send: () => Promise<Value | undefined>): Promise<Reported | undefined> {
  const value = await send();
  return value === undefined ? undefined : reportedSizes(value);
}

/** What the next run has to know: a second resize is not sent while this one may run. */
function unansweredError(error: RemoteError, goals: Sizes, sentMs: number): RemoteError {
  if (error.effect !== "unknown") return error;
  const at = new Date(sentMs).toISOString();
  const message =
    `${error.message}; what became of the resize is not known, and it may still run there: no ` +
    "second one is sent while it may";
  const sent = { at, filesystems_gb: Object.fromEntries(goals) };
  return retold(error, message, { attributes: { unanswered: sent } });
}

/** An appliance without this request may be of an earlier release than the settings say. */
async function post(appliance: Appliance, request: PostRequest): Promise<Value | undefined> {
  try {
    return await appliance.post(request);
  } catch (error) {
    if (!(error instanceof RemoteError) || error.kind !== "not-found") throw error;
    throw retold(error, `${error.message}; an earlier release has no such request: see release`);
  }
}

/** Leaves ten minutes for reading, or half of a shorter limit. */
export function replyDeadlineMs(nowMs: number, deadlineMs: number): number {
  return Math.max(deadlineMs - readingMs, nowMs + Math.floor((deadlineMs - nowMs) / 2));
}

/** A partition that is not named in the reply did not grow now; it may have before. */
function shortfall(reported: Reported, partition: string, goal: number): readonly string[] {
  const size = reported.get(partition);
  if (size === undefined) return [];
  const gb = gbOfReply(size, goal);
  return gb >= goal ? [] : [`${partition} to ${sizeText(gb)} only, not to ${sizeText(goal)}`];
}

function grownText(reported: Reported, goals: Sizes): string {
  if (reported.size === 0) return "the appliance says that no partition grew";
  const grown = [...reported].map(([partition, size]) => {
    const goal = goals.get(partition);
    return goal === undefined ? partition : `${partition} to ${sizeText(gbOfReply(size, goal))}`;
  });
  return `grown: ${grown.toSorted().join(", ")}`;
}

/** `[{ key, value }]` below `/rest`, a map below `/api` (wire facts C.2). */
function reportedSizes(value: Value): Reported {
  const entries = isList(value)
    ? value.map((item) => [memberOf(item, "key"), memberOf(item, "value")] as const)
    : isMap(value)
      ? Object.entries(value)
      : [[undefined, undefined] as const];
  return new Map(
    entries.map(([partition, sizes]) => {
      const size = memberOf(sizes, "new_size");
      const number = typeof size === "bigint" ? Number(size) : size;
      if (typeof partition !== "string" || typeof number !== "number" || number < 0) {
        const message = "the reply of the resize names no sizes of partitions";
        throw new RemoteError({ kind: "protocol", effect: "unknown", message });
      }
      return [purposeOf(partition), number] as const;
    }),
  );
}
