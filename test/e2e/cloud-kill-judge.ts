/**
 * What must hold of the cloud after a killed run and the next one. Looks at the cloud and at its
 * log, never at what the command says about itself.
 */

import type { LoggedRequest } from "../../src/simulators/request-log.ts";
import type { CloudStates, CloudVmState } from "./cloud-kill-scenarios.ts";

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
  const mutations = story.log.filter((entry) => entry.class === "mutate");
  const effects = effectsOf(mutations);
  return [
    ...mutations.filter(({ refused, fault }) => refused && fault === null).map(refusalText),
    ...story.log.flatMap(({ n, violation }) =>
      violation ? [`violation: ${n}: ${violation}`] : [],
    ),
    ...(story.expected === undefined
      ? twice(story, effects)
      : compareEffects(story.expected, effects)),
    ...compareStates(story),
    ...compareSessions(story),
  ];
}

/** Sorted texts of the mutations that were accepted. */
export function effectsOf(log: readonly LoggedRequest[]): readonly string[] {
  return log
    .filter((entry) => entry.class === "mutate" && entry.effect)
    .map(({ method, path, body }) => `${method} ${path} ${body}`)
    .toSorted();
}

function refusalText({ n, method, path, status }: LoggedRequest): string {
  return `refused: ${n}: ${method} ${path} (${status})`;
}

/** A shutdown in vain has no effect: its task fails for want of tools. */
function mayRepeat(effect: string): boolean {
  return effect.includes(">shutdown<");
}

function twice({ cycles }: CloudStory, effects: readonly string[]): readonly string[] {
  const repeated = effects.filter((effect, index) => effects[index - 1] === effect);
  const isPower = (effect: string): boolean => /\/power\/|\/undeploy/.test(effect);
  return repeated
    .filter((effect) => !mayRepeat(effect) && !(cycles && isPower(effect)))
    .map((effect) => `twice: ${effect}`);
}

/** Interrupted or not, the same is done: nothing twice, nothing left out. */
function compareEffects(
  expected: readonly string[],
  effects: readonly string[],
): readonly string[] {
  const rest = [...expected];
  const extra: string[] = [];
  for (const effect of effects) {
    const index = rest.indexOf(effect);
    if (index < 0) extra.push(effect);
    else rest.splice(index, 1);
  }
  return [
    ...extra.filter((effect) => !mayRepeat(effect)).map((effect) => `once too often: ${effect}`),
    ...rest.map((effect) => `never done: ${effect}`),
  ];
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
