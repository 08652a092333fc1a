/**
 * The agent of a site: takes calls, does each by a session of its own, and answers. A change is
 * looked at right before it is sent: one that is late, or whose run has lost its lock, or that this
 * agent has no claim to any more, is not sent, and the answer says so.
 */

import type { SecretMask } from "../lib/mask.ts";
import type { Clock } from "../model/clock.ts";
import { RemoteError } from "../model/operation/remote-error.ts";
import type { ProviderSession } from "../model/provider/provider.ts";
import { isMap } from "../model/value/value.ts";
import { answerText, failedAnswer } from "./answer.ts";
import {
  type CallMethod,
  type Counter,
  changingMethods,
  type RefusalReason,
  readingMethods,
  type SiteAnswer,
  type SiteCall,
  siteProtocol,
  type TakenCall,
} from "./call.ts";
import { decode } from "./codec.ts";
import { type Hosted, type HostedSession, hostSessions, type OpenHere } from "./hosted.ts";
import { isViewThere } from "./views.ts";

/** What an agent tells of a call that has ended. */
export type CallTold = {
  readonly provider: string;
  readonly method: CallMethod;
  readonly operation?: string;
  readonly outcome: "done" | "failed" | "refused";
  /** Why not done. */
  readonly message?: string;
  readonly tookMs: number;
};

export type AgentPorts = {
  readonly counter: Counter;
  readonly clock: Clock;
  readonly site: string;
  /** Of vmform. */
  readonly version: string;
  /** Resolves secrets here. */
  readonly open: OpenHere;
  /** Knows every secret that was read here. */
  readonly mask: Pick<SecretMask, "mask">;
  readonly readOnly: boolean;
  /** Origins that may be spoken to. None: whatever calls name. */
  readonly endpoints: readonly string[];
  readonly tell?: (told: CallTold) => void;
};

export type Agent = {
  /** Resolves when it was asked to end, and what it had taken is answered. */
  readonly ended: Promise<void>;
  /** Takes nothing more. */
  readonly drain: () => Promise<void>;
};

type Working = {
  readonly ports: AgentPorts;
  readonly hosted: Hosted;
  /** Changes that were begun: none is a second time, whatever is delivered. */
  readonly begun: Set<string>;
  /** The last fence of each state that a change was made under. */
  readonly fences: Map<string, bigint>;
};

export function runAgent(ports: AgentPorts): Agent {
  const { counter, clock, open, readOnly } = ports;
  const hosted = hostSessions({
    clock,
    open: (provider, settings, access) => open(provider, settings, readOnly ? "read" : access),
  });
  const working: Working = { ports, hosted, begun: new Set(), fences: new Map() };
  const serving = async (): Promise<void> => {
    try {
      await counter.serve({ work: (taken) => workOn(working, taken), lost: lostText(ports) });
    } finally {
      await hosted.closeAll();
    }
  };
  return {
    ended: serving(),
    drain: () => counter.stop(),
  };
}

function lostText({ mask }: AgentPorts): string {
  return answerText(mask, "none", refused("lost", "the call was lost on its way to the agent"));
}

/** Does not reject: whatever becomes of it is its answer. */
async function workOn(working: Working, taken: TakenCall): Promise<string> {
  const { clock, mask, tell } = working.ports;
  const startedMs = clock.now();
  const call = callFrom(taken.text);
  if (call === undefined) {
    return answerText(mask, "none", refused("protocol", "the call cannot be read"));
  }
  const effect = isChange(call.method) ? "unknown" : "none";
  const answer = await doCall(working, taken, call).catch((error: unknown) =>
    failedAnswer(error, effect),
  );
  tell?.({
    provider: call.provider,
    method: call.method,
    ...(call.operation === undefined ? {} : { operation: call.operation.operationId }),
    ...outcomeOf(working.ports, answer),
    tookMs: clock.now() - startedMs,
  });
  return answerText(mask, effect, answer);
}

function outcomeOf(
  { mask }: AgentPorts,
  answer: SiteAnswer,
): Pick<CallTold, "outcome" | "message"> {
  switch (answer.status) {
    case "done":
      return { outcome: "done" };
    case "failed":
      return { outcome: "failed", message: mask.mask(answer.error.message) };
    case "refused":
      return { outcome: "refused", message: answer.message };
  }
}

/** Undefined of what is none of ours. */
function callFrom(text: string): SiteCall | undefined {
  try {
    const call = decode(text);
    if (typeof call !== "object" || call === null || !("protocol" in call)) return undefined;
    return call as SiteCall;
  } catch {
    return undefined;
  }
}

function refused(reason: RefusalReason, message: string): SiteAnswer {
  return { status: "refused", reason, message };
}

function isChange(method: string): boolean {
  return (changingMethods as readonly string[]).includes(method);
}

async function doCall(working: Working, taken: TakenCall, call: SiteCall): Promise<SiteAnswer> {
  const { ports, hosted } = working;
  const refusal = refusalOf(ports, call);
  if (refusal !== undefined) return refusal;
  if (call.method === "close") {
    await hosted.close(call);
    return { status: "done", value: undefined, incarnation: "" };
  }
  const there = await opened(hosted, call);
  const { incarnation, session } = there;
  if (call.method === "open") {
    const { url } = session;
    const methods = [...readingMethods, ...changingMethods, "ticket", "close"].filter(
      (name) => Reflect.get(session, name) !== undefined,
    );
    const value = { ...(url === undefined ? {} : { url }), methods, incarnation };
    return { status: "done", value, incarnation };
  }
  if (!isChange(call.method)) {
    const value = await calling(session, call.method, wordsOf(there, call));
    return { status: "done", value, incarnation };
  }
  return change(working, taken, call, there);
}

/** A session that does not open has sent nothing of the call. */
async function opened(hosted: Hosted, call: SiteCall): Promise<HostedSession> {
  try {
    return await hosted.get(call);
  } catch (error) {
    if (error instanceof RemoteError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new RemoteError({ kind: "protocol", effect: "none", message, cause: error });
  }
}

/** What can be said before anything is opened. */
function refusalOf(ports: AgentPorts, call: SiteCall): SiteAnswer | undefined {
  const { site, version, readOnly, endpoints } = ports;
  if (call.protocol !== siteProtocol || call.site !== site) {
    const other = `vmform ${call.version} of the site ${call.site}`;
    return refused("protocol", `this is vmform ${version} of ${site}, and the call is of ${other}`);
  }
  if (readOnly && isChange(call.method)) {
    return refused("read-only", "this agent is read-only and changes nothing");
  }
  if (endpoints.length === 0) return undefined;
  const url = isMap(call.settings) ? call.settings.url : undefined;
  const isAllowed =
    typeof url === "string" && URL.canParse(url) && endpoints.includes(new URL(url).origin);
  if (isAllowed) return undefined;
  return refused(
    "endpoint",
    `this agent does not speak to ${typeof url === "string" ? url : "such endpoints"}`,
  );
}

const begunMax = 10_000;

/** Looks once more, and makes it. */
async function change(
  { ports, begun, fences }: Working,
  taken: TakenCall,
  call: SiteCall,
  there: HostedSession,
): Promise<SiteAnswer> {
  const { counter, clock } = ports;
  const { session, incarnation } = there;
  // Only the login under which everything was sent is worth ending as a proof.
  if (call.method === "forsake" && call.words[0] !== incarnation) {
    return { status: "done", value: false, incarnation };
  }
  if (begun.has(taken.id)) return refused("claim", "the call was begun before");
  const standing = await counter.standing(taken, call.fence).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `whether the call may still be begun, nobody can tell: ${reason}`;
    throw new RemoteError({ kind: "unavailable", effect: "none", message });
  });
  if (standing.nowMs > call.notAfterMs) return refused("late", "the call came too late");
  if (!standing.claimed) return refused("claim", "another agent has taken over");
  if (call.fence !== undefined && standing.fence !== call.fence.fence) {
    return refused("fenced", "the run that asks has lost the lock of its recorded state");
  }
  const older = fenceProblem(fences, call);
  if (older !== undefined) return refused("fenced", older);
  begun.add(taken.id);
  // What is older is late by now: an agent that serves for years does not grow.
  for (const oldest of begun) {
    if (begun.size <= begunMax) break;
    begun.delete(oldest);
  }
  const restMs = Math.max(0, call.endByMs - standing.nowMs);
  const words =
    call.method === "send" ? [...wordsOf(there, call), clock.now() + restMs] : wordsOf(there, call);
  const value = await calling(session, call.method, call.method === "forsake" ? [] : words);
  return { status: "done", value, incarnation };
}

/** Fences only grow, unless the database is that of an earlier time. */
function fenceProblem(fences: Map<string, bigint>, { fence }: SiteCall): string | undefined {
  if (fence === undefined) return undefined;
  const now = BigInt(fence.fence);
  const known = fences.get(fence.state) ?? now;
  if (now >= known) {
    fences.set(fence.state, now);
    return undefined;
  }
  return (
    `the lock of its recorded state has the number ${now}, and this agent has seen ${known}: ` +
    "the database was restored from a backup. Look at what was done since (vmform drift), " +
    "then start the agent again"
  );
}

/** Looks by their numbers are the objects that providers know them by. */
function wordsOf({ viewOf }: HostedSession, { method, words }: SiteCall): readonly unknown[] {
  const last = words.at(-1);
  const looks = ["read", "facts", "list", "readData"].includes(method);
  return looks && isViewThere(last) ? [...words.slice(0, -1), viewOf(last)] : words;
}

async function calling(
  session: ProviderSession,
  method: CallMethod,
  words: readonly unknown[],
): Promise<unknown> {
  const known = [...readingMethods, ...changingMethods].some((name) => name === method);
  const called: unknown = known ? Reflect.get(session, method) : undefined;
  if (typeof called !== "function") {
    const message = `the session has no method ${method}`;
    throw new RemoteError({ kind: "protocol", effect: "none", message });
  }
  const value: unknown = await Reflect.apply(called, session, words);
  return value;
}
