/**
 * Wiping and shrinking: sending the form, finding the task of one whose reply never came, and what
 * a task tells when it has ended. The handle holds what only the sender could know, since the run
 * that sees the end may be another one.
 */

import type { PreparedOperation } from "../../../model/operation/operation.ts";
import { RemoteError, retold } from "../../../model/operation/remote-error.ts";
import type { SendResult, TaskResult, TaskStatus } from "../../../model/provider/provider.ts";
import type { BeginEntry } from "../../../model/recorded/begin-entry.ts";
import type { Value } from "../../../model/value/value.ts";
import { noRequest, unsendable } from "../../kit/refusal.ts";
import { type Guarded, isRecordOf, isText } from "../../kit/schema/shape.ts";
import { handleOf, pollTask } from "../../kit/tasks.ts";
import type { SoapFault } from "../client/client.ts";
import { faultOf } from "../client/fault.ts";
import { type ManagerTask, tasksOf } from "../client/task.ts";
import type { ManagerPorts } from "../part.ts";
import { lookForWork } from "../work/find-task.ts";
import { browserCall, reclaimParts, shrinkVerb, wipeTakenBack, wipeVerb } from "./reclaim.ts";
import {
  bytesText,
  measureDisks,
  readSizes,
  type Sizes,
  sizesValue,
  toldSizes,
} from "./reclaim-sizes.ts";

/** Servers name a task by its method: `VirtualMachine.wipeDisk`, `WipeDisk_Task`. */
const taskNames: { readonly [verb: string]: RegExp } = {
  [wipeVerb]: /^wipe/i,
  [shrinkVerb]: /^shrink/i,
};

/** How much two readings of the server's clock may be apart from ours. */
const clockMarginMs = 1000;

/** Sends the form of the object browser once. Throws `RemoteError`. */
export async function sendReclaim(
  ports: ManagerPorts,
  { verb, subject: { identity }, id }: PreparedOperation,
  deadlineMs: number,
): Promise<SendResult> {
  const call = browserCall(verb, identity);
  if (call === undefined) throw unsendable(id, noRequest);
  const { vm } = reclaimParts(identity);
  const before = verb === shrinkVerb ? await measureDisks(ports.client, vm) : undefined;
  const beginMs = ports.clock.now();
  // Its parser of HTML is large, and few need it.
  const { invokeInBrowser } = await import("./browser.ts");
  let task: string;
  try {
    task = await ports.guarded(() => invokeInBrowser(ports, { ...call, deadlineMs }));
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    throw await judged(ports, error, { verb, vm, beginMs });
  }
  return { handle: handleFor(task, verb, identity, before) };
}

/** What more can be known of a form that did not give a task. */
async function judged(
  ports: ManagerPorts,
  error: RemoteError,
  { verb, vm, beginMs }: { readonly verb: string; readonly vm: string; readonly beginMs: number },
): Promise<RemoteError> {
  const fault = faultOf(error);
  if (fault === undefined) return error;
  if (isUnwiped(verb, fault)) {
    const { message, attributes } = wipeTakenBack;
    return retold(error, `${error.message}; ${message}`, { attributes });
  }
  if (error.effect === "none" || (await hasBegun(ports, { verb, vm, beginMs }))) return error;
  return retold(error, error.message, { effect: "none" });
}

/** The one fault that a disk itself is the cause of (wire facts D.2). */
function isUnwiped(verb: string, fault: SoapFault | undefined): boolean {
  return verb === shrinkVerb && fault?.type === "ShrinkDiskFault";
}

/**
 * A fault is what the method ended with: a task that it has begun all the same is listed by now, so
 * one look is enough. True where that cannot be told, or where an older one might be it.
 */
async function hasBegun(
  { client, clock }: ManagerPorts,
  { verb, vm, beginMs }: { readonly verb: string; readonly vm: string; readonly beginMs: number },
): Promise<boolean> {
  const operation = taskNames[verb];
  if (operation === undefined) return true;
  try {
    const serverTimeMs = (await client.serverTimeMs()) - (clock.now() - beginMs) - clockMarginMs;
    const begin = { serverTimeMs, atMs: beginMs };
    return (await lookForWork(client, { vm, operation, begin })) !== undefined;
  } catch (failure) {
    if (failure instanceof RemoteError) return true;
    throw failure;
  }
}

/** What was measured before is lost with the process that measured it. */
export async function findReclaim(
  { client }: ManagerPorts,
  begin: BeginEntry,
): Promise<Value | undefined> {
  const operation = taskNames[begin.verb];
  if (operation === undefined) return undefined;
  const { vm } = reclaimParts(begin.subject.identity);
  const task = await lookForWork(client, { vm, operation, begin });
  return task === undefined ? undefined : handleFor(task.key, begin.verb, begin.subject.identity);
}

function handleFor(task: string, verb: string, identity: string, before?: Sizes): Value {
  const sizes = before === undefined ? {} : { before: sizesValue(before) };
  return handleOf(task, { reclaim: verb, identity, ...sizes });
}

/** The handle of such work; sizes are there where they were measured before. */
const isReclaimHandle = isRecordOf({ reclaim: isText, identity: isText });

type Handle = Guarded<typeof isReclaimHandle> & { readonly before?: Value };

/**
 * Undefined for a handle of other work. Only `success` is success: of a task that the server has
 * forgotten nobody can tell whether it did anything, and it costs no more than to do it again.
 */
export function pollReclaim(ports: ManagerPorts, handle: Value): Promise<TaskStatus> | undefined {
  return isReclaimHandle(handle) ? poll(ports, handle, handle) : undefined;
}

async function poll(ports: ManagerPorts, handle: Value, own: Handle): Promise<TaskStatus> {
  const status = await pollTask(tasksOf(ports.client), handle, {
    onSuccess: (task) => resultOf(ports, task, own),
    onFailure: ({ fault }) => (isUnwiped(own.reclaim, fault) ? wipeTakenBack : undefined),
  });
  if (status.status !== "vanished") return status;
  const task = `the task of the ${own.reclaim}`;
  return {
    status: "failed",
    message: `the host manager has forgotten ${task}: nobody saw its end`,
  };
}

async function resultOf(
  ports: ManagerPorts,
  task: ManagerTask,
  { reclaim: verb, identity, before }: Handle,
): Promise<TaskResult> {
  const endMs = task.completeMs ?? (await ports.client.serverTimeMs());
  const at = new Date(endMs).toISOString();
  if (verb === wipeVerb) return wiped(at, toldSizes(task.result));
  const { vm, disk } = reclaimParts(identity);
  const earlier = readSizes(before);
  const now = earlier === undefined ? undefined : await measureDisks(ports.client, vm);
  const told = toldSizes(task.result);
  const given = now === undefined || earlier === undefined ? told : difference(earlier, now);
  const own = new Map([...given].filter(([id]) => disk === undefined || id === disk));
  return shrunk(at, own);
}

function wiped(at: string, found: Sizes): TaskResult {
  const lines = [...found].map(([id, bytes]) => `disk ${id}: ${bytesText(bytes)}`);
  const message =
    lines.length === 0
      ? "the host manager does not tell how much can be given back"
      : `can be given back: ${lines.join(", ")}`;
  const isEmpty = found.size > 0 && [...found.values()].every((bytes) => bytes === 0n);
  return {
    attributes: { wiped_at: at, pending: !isEmpty, shrinkable_bytes: sizesValue(found) },
    message,
  };
}

function shrunk(at: string, given: Sizes): TaskResult {
  const lines = [...given].map(([id, bytes]) => `disk ${id}: ${bytesText(bytes)} reclaimed`);
  const message =
    lines.length === 0
      ? "how much was reclaimed is not known: the host manager does not tell it"
      : lines.join(", ");
  return {
    attributes: { shrunk_at: at, pending: false, reclaimed_bytes: sizesValue(given) },
    message,
  };
}

/** A disk that its guest wrote to meanwhile may have grown; nothing was given back then. */
function difference(before: Sizes, now: Sizes): Sizes {
  const given = new Map<string, bigint>();
  for (const [id, earlier] of before) {
    const later = now.get(id);
    if (later !== undefined) given.set(id, earlier > later ? earlier - later : 0n);
  }
  return given;
}
