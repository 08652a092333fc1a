/** What an apply has left for the times that policies set, told at its end. */

import { problem, warning } from "../../engine/codes.ts";
import type { PendingOperation, WindowChoice } from "../../engine/run/windows.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { Address } from "../../model/value/address.ts";

/** Objects that are told by name; of more, the number is. */
const namesMax = 20;

/** Leaving it is what was asked for by `--window skip`; else it is an error. */
export function pendingTold(
  pending: readonly PendingOperation[],
  window: WindowChoice | undefined,
): readonly Diagnostic[] {
  const groups = new Map<string, PendingOperation[]>();
  for (const one of pending) groups.set(one.message, [...(groups.get(one.message) ?? []), one]);
  const tell = window === "skip" ? warning : problem;
  return [...groups].map(([message, group]) => {
    const verbs = new Map<Address, string[]>();
    for (const { operation } of group) {
      const { address } = operation.subject;
      verbs.set(address, [...(verbs.get(address) ?? []), operation.verb]);
    }
    const [only] = verbs.keys();
    const named = [...verbs].slice(0, namesMax);
    const list = named.map(([address, words]) => `${address} (${words.join(", ")})`).join(", ");
    const more = verbs.size > namesMax ? ` and ${verbs.size - namesMax} more` : "";
    return tell(verbs.size === 1 ? { address: only } : {}, "RUN030", {
      detail: `Not begun: ${list}${more}. It is ${message}.`,
      fix: "Apply again at that time; what comes after it was left as well.",
    });
  });
}
