/** What is said while a run that shall end waits for remote tasks. One line each. */

import { cancelTaskAction } from "../model/action.ts";
import { plural } from "./plan-summary.ts";

export function cancelKeyText(count: number): string {
  return `Press c to cancel ${count === 1 ? "the remote task" : `the ${count} remote tasks`}.`;
}

export function cancelQuestion(count: number): string {
  return (
    `Cancel ${plural(count, "remote task")}? What is half done then stays so. ` +
    "Press y to cancel, any other key to wait."
  );
}

export function notCancelled(count: number): string {
  return `Nothing was cancelled. ${cancelKeyText(count)}`;
}

/** For where no key can be pressed. */
export function cancelHint(count: number): string {
  const what = count === 1 ? "it" : "one of them";
  return `To cancel ${what}, beside this run: vmform action ADDRESS ${cancelTaskAction}`;
}
