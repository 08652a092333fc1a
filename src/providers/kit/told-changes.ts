/** Which of the tasks of a server explain what has drifted. */

import { RemoteError } from "../../model/operation/remote-error.ts";
import type { ChangeAnswer, ChangeQuestion, ToldChange } from "../../model/provider/told-change.ts";
import type { RemoteTask } from "./tasks.ts";

/** Clocks differ, and what was begun so soon after work of ours may be ours. */
const marginMs = 60_000;

/** Attributes by the tasks that change them; matches the operation of a task. */
export type TaskKinds = { readonly [attribute: string]: RegExp };

/** The latest task of a fitting kind that has succeeded since; none is as good an answer. */
export function toldByTasks(
  question: ChangeQuestion,
  tasks: readonly RemoteTask[],
  { kinds, owner, source }: { readonly kinds: TaskKinds; owner: string; readonly source: string },
): readonly ToldChange[] {
  const fitting = tasks
    .filter((task) => task.owner === owner && task.word === "success")
    .filter(({ startMs = 0 }) => isAfter(question, startMs))
    .toSorted((left, right) => (right.startMs ?? 0) - (left.startMs ?? 0));
  const told = new Map<RemoteTask, string[]>();
  for (const attribute of question.attributes) {
    const kind = kinds[attribute];
    const task = fitting.find(({ operation }) => kind?.test(lastWord(operation)) === true);
    if (task !== undefined) told.set(task, [...(told.get(task) ?? []), attribute]);
  }
  return [...told].map(([{ user, startMs = 0, label }, attributes]): ToldChange => {
    const by = user === undefined ? {} : { user };
    return { attributes, kind: "task", ...by, atMs: startMs, what: label, source };
  });
}

/** `VirtualMachine.powerOff` is named by what follows the last full stop. */
function lastWord(operation: string): string {
  return operation.slice(operation.lastIndexOf(".") + 1);
}

export function isAfter({ sinceMs }: ChangeQuestion, atMs: number): boolean {
  return atMs > 0 && (sinceMs === undefined || atMs > sinceMs + marginMs);
}

/** What this session may not read is withheld, and is no failure of the look. */
export async function unlessWithheld<T>(
  read: () => Promise<readonly T[]>,
  withheld: string[],
): Promise<readonly T[]> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    if (!withheld.includes(error.message)) withheld.push(error.message);
    return [];
  }
}

export function answerOf(
  changes: readonly ToldChange[],
  withheld: readonly string[],
): ChangeAnswer {
  return withheld.length === 0 ? { changes } : { changes, withheld: withheld.join("; ") };
}
