/**
 * What a VM offers and what it does not: an action without a link, of a VM that shows links and
 * where nothing runs, is one that the user of the session has no right to (wire facts A.3.3).
 */

import type { Objection } from "../../../model/provider/provider.ts";
import { nowhere } from "../../../model/said/problem.ts";
import { problem } from "../codes.ts";
import type { VmFacts } from "./vm-facts.ts";

/** Empty where the link is there, or where its absence says nothing. */
export function notOffered(facts: VmFacts, verb: string, what: string): readonly Objection[] {
  const { links, shows_links: showsLinks, tasks, vapp_tasks: vappTasks } = facts;
  const isBusy = tasks.length > 0 || vappTasks.length > 0;
  if (links.includes(verb) || !showsLinks || isBusy) return [];
  return [
    problem(nowhere, "CLD017", {
      detail: `The cloud does not offer the user of this session to ${what}.`,
      fix: "Log in as somebody with that right, or take the change out of the configuration.",
    }),
  ];
}

/** Links of power words by the state that they lead from, and the wanted power. */
const firstWords: {
  readonly [from: string]: { readonly [to: string]: readonly [string, string] };
} = {
  off: {
    on: ["power-on", "turn on this VM"],
    suspended: ["power-on", "turn on this VM"],
  },
  on: {
    off: ["undeploy", "turn off this VM"],
    suspended: ["suspend", "suspend this VM"],
  },
  suspended: { on: ["power-on", "turn on this VM"] },
  "off-deployed": { on: ["power-on", "turn on this VM"] },
};

export function powerWithheld(facts: VmFacts, wanted: string | undefined): readonly Objection[] {
  if (facts.power_state === null || wanted === undefined) return [];
  const word = firstWords[facts.power_state]?.[wanted];
  return word === undefined ? [] : notOffered(facts, ...word);
}
