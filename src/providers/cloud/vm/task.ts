/** Remote tasks: how one is read, and what its words mean (wire facts A.5). */

import { attributeOf, childrenOf, textOf, type XmlElement } from "../../../lib/xml/xml.ts";
import { RemoteError } from "../../../model/operation/remote-error.ts";
import type { TaskStatus } from "../../../model/provider/provider.ts";
import type { Value } from "../../../model/value/value.ts";
import { textIn } from "../../kit/narrow.ts";
import {
  cancelTask,
  pollTask,
  progressOf,
  type RemoteTask,
  type TaskAccess,
} from "../../kit/tasks.ts";
import type { CloudClient } from "../client/client.ts";
import { readFault } from "../client/fault.ts";
import { apiPathOf } from "../client/href.ts";
import { instantOf } from "../client/instant.ts";
import { vmPathOf } from "./vm-path.ts";

export type CloudTask = RemoteTask & {
  /** Where a cancel is posted, if the server offers it. */
  readonly cancelPath: string | undefined;
};

/** Words of a task that will not change any more; only the first means success. */
const endWords: ReadonlySet<string> = new Set(["success", "error", "canceled", "aborted"]);

export function isEndWord(word: string): boolean {
  return endWords.has(word);
}

/** Reads a `Task` element, of a reply or inside another object. */
export function readTask(element: XmlElement): CloudTask {
  const child = (local: string) => childrenOf(element, element.namespace, local)[0];
  const cancel = childrenOf(element, element.namespace, "Link").find(
    (link) => attributeOf(link, "rel") === "task:cancel",
  );
  const word = (attributeOf(element, "status") ?? "").trim();
  const operation = attributeOf(element, "operationName") ?? "";
  const words = (attributeOf(element, "operation") ?? "").trim();
  const label = words === "" ? operation : words;
  const owner = attributeIn(child("Owner"), "href") ?? "";
  return {
    key: apiPathOf(attributeOf(element, "href") ?? ""),
    word: word === "" ? "a task without status" : word,
    hasEnded: isEndWord(word),
    operation,
    label,
    user: textOrNothing(attributeIn(child("User"), "name")),
    isForeign: false,
    owner: vmPathOf(owner) ?? apiPathOf(owner),
    // Absent while it is queued.
    startMs: instantOf(attributeOf(element, "startTime")),
    // Real servers leave it at 0, or out.
    progress: progressOf(wordsIn(child("Progress"))),
    cancelPath: apiPathOf(attributeIn(cancel, "href") ?? ""),
    failure: failureOf(word, label, child("Error"), wordsIn(child("Details"))),
  };
}

/** Of a task that no list shows any more and whose snapshot is there. */
export function snapshotHandle(vm: string): Value {
  return { snapshot_of: vm };
}

function isSnapshotHandle(handle: Value): boolean {
  return textIn(handle, "snapshot_of") !== undefined;
}

/** A task expires after some weeks. */
export async function pollCloudTask(client: CloudClient, handle: Value): Promise<TaskStatus> {
  return isSnapshotHandle(handle) ? { status: "success" } : pollTask(accessTo(client), handle);
}

/** Servers often only note the wish, and the task goes on (wire facts A.5). */
export async function cancelCloudTask(client: CloudClient, handle: Value): Promise<void> {
  if (!isSnapshotHandle(handle)) await cancelTask(accessTo(client), handle);
}

function accessTo(client: CloudClient): TaskAccess<CloudTask> {
  return {
    read: async (path) => {
      try {
        return await readTaskAt(client, path);
      } catch (error) {
        if (isGone(error)) return undefined;
        throw error;
      }
    },
    cancel: ({ cancelPath }, path) =>
      client.send({ method: "POST", path: cancelPath ?? `${path}/action/cancel` }),
  };
}

export async function readTaskAt(client: CloudClient, path: string): Promise<CloudTask> {
  const { root } = await client.get(path, { root: "Task" });
  return { ...readTask(root), key: path };
}

/** A refusal that stands for "is not there" as well as for "not yours". */
export function isGone(error: unknown): error is RemoteError {
  return error instanceof RemoteError && ["forbidden", "not-found"].includes(error.kind);
}

function failureOf(
  word: string,
  label: string,
  error: XmlElement | undefined,
  details: string | undefined,
): string {
  const fault = error === undefined ? undefined : readFault(error);
  const code =
    fault === undefined ? [] : [fault.major ?? "", fault.minor].filter((it) => it !== "");
  const words =
    fault === undefined || fault.message === "" ? textOrNothing(details) : fault.message;
  const ended = word === "error" ? "failed" : `was ${word}`;
  const cause = [...(code.length > 0 ? [code.join(" ")] : []), ...(words ? [words] : [])];
  return [`the remote task ${JSON.stringify(label)} ${ended}`, ...cause].join(": ");
}

function attributeIn(element: XmlElement | undefined, name: string): string | undefined {
  return element === undefined ? undefined : attributeOf(element, name);
}

function wordsIn(element: XmlElement | undefined): string | undefined {
  return element === undefined ? undefined : textOf(element);
}

function textOrNothing(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? "";
  return trimmed === "" ? undefined : trimmed;
}
