/**
 * Replies of the daemon: its envelope `{ code, message }`, its lists and objects, and what its
 * errors mean. Bodies are read by content, since lists come as text/plain (wire facts B.1, B.2).
 */

import type { CallClass, HttpReply } from "../../http/call.ts";
import { excerpt, kindOfStatus, readJson, statusError, unreadableReply } from "../../http/reply.ts";
import { RemoteError, type RemoteErrorKind } from "../../model/operation/remote-error.ts";
import type { Value } from "../../model/value/value.ts";
import { isList, isMap } from "../../model/value/value.ts";

/** What a reply is an answer to, for messages: `power of VM web`. */
export type ReplyContext = { readonly class: CallClass; readonly what: string };

export type Envelope = { readonly code: number; readonly message: string };

type Meaning = { readonly kind: RemoteErrorKind; readonly hint?: string };

const toolsHint = "The guest's tools must be running; wait until the VM has an address.";

const sharingHint =
  "Is folder sharing of the VM off? With folder_sharing: true its daemon_vm switches it on, and " +
  "on again.";

/** By what was done: the same number means one thing of a share and another of a VM. */
const sharedFolderMeanings = new Map<number, Meaning>([
  [3, { kind: "invalid", hint: sharingHint }],
  [4, { kind: "not-found", hint: "host_path has to exist on the host that the daemon runs on." }],
]);

/** The library's "not supported": what a VM may answer whose folder sharing is off. */
const sharingOff = 6;

/** VIX error numbers (wire facts B.2). Others are refusals without a kind of their own. */
const vixCodes = new Map<number, Meaning>([
  [3, { kind: "invalid" }],
  [4, { kind: "not-found" }],
  [5, { kind: "busy" }],
  [sharingOff, { kind: "precondition", hint: sharingHint }],
  [13, { kind: "precondition", hint: "The daemon may not use a file of the VM." }],
  [15, { kind: "busy" }],
  [23, { kind: "conflict", hint: "An object with this key exists already." }],
  [25, { kind: "not-found" }],
  [31, { kind: "busy" }],
  [2000, { kind: "not-found" }],
  [3000, { kind: "precondition", hint: toolsHint }],
  [3006, { kind: "precondition", hint: "The VM must be on." }],
  [3007, { kind: "precondition", hint: "The VM, or the one that is cloned, must be off." }],
  [3011, { kind: "precondition", hint: "Stop other VMs of this host, or give it more memory." }],
  [3016, { kind: "precondition", hint: toolsHint }],
  [3041, { kind: "precondition", hint: "The reason stands in the VM's own log on the host." }],
  [4000, { kind: "not-found" }],
]);

/** The value of a 2xx reply; throws the error that any other reply means. */
function readOk(reply: HttpReply, context: ReplyContext): Value {
  if (!isOk(reply.status)) throw daemonError(reply, context);
  return withContext(context, () => {
    const value = readJson(reply, context.class);
    const envelope = toEnvelope(value);
    if (envelope !== undefined && envelope.code >= 400) throw refusal(reply, envelope);
    return value;
  });
}

/** A list of ids or names (endpoints 3 and 10). Anything else is an error, never an empty list. */
export function readNames(reply: HttpReply, context: ReplyContext): readonly string[] {
  const value = readOk(reply, context);
  const names = isList(value) ? value.filter((item) => typeof item === "string") : [];
  if (isList(value) && names.length === value.length) return names;
  throw foreign(reply, context, "instead of a list of names");
}

/** `{ code, message }` of endpoints 5 to 8. */
export function readEnvelope(reply: HttpReply, context: ReplyContext): Envelope {
  const envelope = toEnvelope(readOk(reply, context));
  if (envelope === undefined) throw foreign(reply, context, "instead of code and message");
  return envelope;
}

/** Any JSON object; members the interface does not name are ignored. */
export function readObject(reply: HttpReply, context: ReplyContext): ReadonlyMap<string, Value> {
  const value = readOk(reply, context);
  if (!isMap(value)) throw foreign(reply, context, "instead of an object");
  return new Map(Object.entries(value));
}

/** A 2xx reply that was understood as JSON and is not what this endpoint answers. */
export function foreign(reply: HttpReply, context: ReplyContext, why: string): RemoteError {
  return prefixed(context, unreadableReply(reply, context.class, why));
}

/** The error that a reply outside 2xx means. */
export function daemonError(reply: HttpReply, context: ReplyContext): RemoteError {
  const envelope = envelopeOf(reply);
  const error =
    envelope === undefined ? statusError(reply, context.class) : refusal(reply, envelope);
  return prefixed(context, error);
}

/** The daemon's own words of a reply of any status; undefined when something else answered. */
export function envelopeOf(reply: HttpReply): Envelope | undefined {
  try {
    return toEnvelope(readJson(reply, "read"));
  } catch (error) {
    if (error instanceof RemoteError) return undefined;
    throw error;
  }
}

export function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}

/**
 * The daemon itself refused, so nothing was done; only where it gave up waiting may the operation
 * still be running.
 */
function refusal(reply: HttpReply, envelope: Envelope): RemoteError {
  const { kind, hint } = meaningOf(envelope);
  const words = `${excerpt(envelope.message)}${hint === undefined ? "" : ` (${hint})`}`;
  const { status, retryAfterMs } = reply;
  return new RemoteError({
    kind,
    effect: kind === "timeout" ? "unknown" : "none",
    status,
    message: `the daemon answered ${envelope.code}: ${words}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/**
 * The daemon answers nearly every error with 500; the VIX number at the end of the text, or the
 * text of Go's own errors, says which one it is.
 */
function meaningOf({ code, message }: Envelope): Meaning {
  const vix = vixOf(message);
  if (vix !== undefined) {
    const { number, operation } = vix;
    const ofFolder = /SharedFolder/.test(operation) ? sharedFolderMeanings.get(number) : undefined;
    const known = ofFolder ?? vixCodes.get(number) ?? { kind: "protocol" };
    // The daemon failed before it came to the VM, whatever the number says of it.
    const hint = "The daemon could not reach its own hypervisor.";
    return operation === "vix.Connect" ? { ...known, hint } : known;
  }
  if (/^\w+ .+: no such file or directory$/.test(message)) return { kind: "not-found" };
  if (message === "EOF" || message === "The op name is not supported.") return { kind: "invalid" };
  return { kind: kindOfStatus(code) };
}

/** Whether a read of folders is refused since the VM shares none. */
export function isSharingOff(reply: HttpReply): boolean {
  if (isOk(reply.status)) return false;
  const vix = vixOf(envelopeOf(reply)?.message ?? "");
  return vix?.number === sharingOff && /SharedFolder/.test(vix.operation);
}

function vixOf(
  message: string,
): { readonly number: number; readonly operation: string } | undefined {
  const [, number, operation] = /, code: (\d+), operation: (\S+)\s*$/.exec(message) ?? [];
  return number === undefined || operation === undefined
    ? undefined
    : { number: Number(number), operation };
}

function toEnvelope(value: Value): Envelope | undefined {
  if (!isMap(value)) return undefined;
  const { code, message } = value;
  if (typeof code !== "number" || typeof message !== "string") return undefined;
  return { code, message };
}

function withContext<T>(context: ReplyContext, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof RemoteError ? prefixed(context, error) : error;
  }
}

function prefixed(context: ReplyContext, error: RemoteError): RemoteError {
  const { kind, effect, status, retryAfterMs, cause } = error;
  return new RemoteError({
    kind,
    // Reading has no effect, whatever it answers.
    effect: context.class === "read" ? "none" : effect,
    message: `${context.what}: ${error.message}`,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(cause === undefined ? {} : { cause }),
  });
}
