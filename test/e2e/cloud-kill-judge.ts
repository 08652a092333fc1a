/**
 * What must hold of the cloud after a killed run and the next one. Looks at the cloud and at its
 * log, never at what the command says about itself.
 */

import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import type { CloudStates, CloudVmState } from "./cloud-kill-scenarios.ts";
import { judgeRequests } from "./kill-verdict.ts";

export type CloudStory = {
  /** Requests of the killed run and of those after it. */
  readonly log: readonly LoggedRequest[];
  /** Effective mutations of an undisturbed run, when the last run applied the same. */
  readonly expected: readonly string[] | undefined;
  /** The last run may have taken the VM through another power cycle. */
  readonly cycles: boolean;
  readonly wanted: CloudStates;
  readonly after: CloudStates;
  /** Sessions that nobody had ended, when the last run began and when it was over. */
  readonly sessions: { readonly before: number; readonly after: number };
};

export function judge(story: CloudStory): readonly string[] {
  const { log, expected, cycles } = story;
  const isPower = (effect: string): boolean => /\/power\/|\/undeploy/.test(effect);
  const mayRepeat = (effect: string): boolean =>
    isInVain(effect) || (expected === undefined && cycles && isPower(effect));
  return [
    ...judgeRequests({ log, expected, mayRepeat }),
    ...compareStates(story),
    ...compareSessions(story),
  ];
}

/** A shutdown in vain has no effect: its task fails for want of tools. */
function isInVain(effect: string): boolean {
  return effect.includes(">shutdown<");
}

function compareStates({ wanted, after }: CloudStory): readonly string[] {
  return Object.entries(wanted).flatMap(([vm, want]) => {
    const shown = stateText(after[vm]);
    const text = stateText(want);
    return shown === text ? [] : [`VM ${vm} is ${shown}, not ${text}`];
  });
}

function stateText(state: CloudVmState | undefined): string {
  if (state === undefined) return "gone";
  const { power, deployed = power !== "off", datastore, nested, snapshot } = state;
  return JSON.stringify({ power, deployed, datastore, nested, snapshot });
}

function compareSessions({ sessions: { before, after } }: CloudStory): readonly string[] {
  return before === after ? [] : [`${after - before} sessions are left behind`];
}
