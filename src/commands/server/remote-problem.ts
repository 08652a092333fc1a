/** An endpoint's refusal as the error of a command that asks it for one thing, with the way out. */

import { type RemoteError, type RemoteErrorKind } from "../../model/operation/remote-error.ts";
import { CommandError, type CommandProblem } from "../environment.ts";

/** `what` names what was asked for; `fixes` are ways out by kind, before the general ones. */
export function remoteProblem(
  what: string,
  error: RemoteError,
  problem: CommandProblem,
  fixes: { readonly [kind in RemoteErrorKind]?: string } = {},
): CommandError {
  const ended = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
  return new CommandError(`${what}: ${ended}`, wayOut(error, fixes), problem);
}

function wayOut(
  { kind, effect }: RemoteError,
  fixes: { readonly [kind in RemoteErrorKind]?: string },
): string {
  if (effect === "unknown") {
    return "It may have been done all the same. Look with vmform plan before you repeat it.";
  }
  return fixes[kind] ?? general[kind];
}

const again = "Nothing was done. Repeat the command later.";
const general: { readonly [kind in RemoteErrorKind]: string } = {
  "not-found": "Nothing was done. See what became of the object, with: vmform drift",
  conflict: again,
  busy: again,
  throttled: again,
  unavailable: again,
  timeout: again,
  unauthorized: "Nothing was done. Check user and password of the provider.",
  forbidden: "Nothing was done. The user lacks the right, or the object is gone: vmform drift",
  precondition: "Nothing was done. Bring the object into a state that allows it first.",
  invalid: "Nothing was done. Check the settings of the provider.",
  protocol: "Check that the provider's url is that of the interface.",
};
