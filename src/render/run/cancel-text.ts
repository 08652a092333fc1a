/** What is said while a run that shall end waits for remote tasks. One line each. */

import { shellWord } from "../../lib/shell-word.ts";
import { plural } from "../../lib/text.ts";
import { cancelTaskAction } from "../../model/provider/action.ts";
import type { Address } from "../../model/value/address.ts";
import { addressesText } from "../../model/value/address-text.ts";

export function cancelKeyText(count: number): string {
  return `Press c to cancel ${count === 1 ? "the remote task" : `the ${count} remote tasks`}.`;
}

/** `addresses`: objects whose tasks were seen to run, begun by this run or by one before it. */
export function cancelQuestion(count: number, addresses: readonly Address[]): string {
  const of = addresses.length === 0 ? "" : ` of ${addressesText(addresses, commandsMax)}`;
  return (
    `Cancel ${plural(count, "remote task")}${of}? What is half done then stays so. ` +
    "Press y to cancel, any other key to wait."
  );
}

export function notCancelled(count: number): string {
  return `Nothing was cancelled. ${cancelKeyText(count)}`;
}

/** Commands that are named; of more objects than these, the first ones stand for all. */
const commandsMax = 3;

/**
 * For where no key can be pressed: a command for each of the objects, ready to be pasted. `folder`
 * is that of the configuration, as given by `--chdir`.
 */
export function cancelHint(addresses: readonly Address[], folder: string | undefined): string {
  const place = folder === undefined ? "" : ` --chdir ${shellWord(folder)}`;
  const commands = addresses
    .slice(0, commandsMax)
    .map((address) => `vmform action ${shellWord(address)} ${cancelTaskAction}${place}`);
  const what = addresses.length === 1 ? "it" : "one of them";
  const more = addresses.length - commands.length;
  const rest = more > 0 ? ` (and ${more} more)` : "";
  return `To cancel ${what}, beside this run: ${commands.join(", or ")}${rest}`;
}
