/**
 * What must hold of the requests of a killed run and of those after it, whatever they are about:
 * nothing refused, nothing that no correct client sends, nothing twice, nothing left out.
 */

import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import { requestText } from "./kill-bench.ts";

export type RequestStory = {
  readonly log: readonly LoggedRequest[];
  /** Effective mutations of an undisturbed run, when the last run applied the same. */
  readonly expected: readonly string[] | undefined;
  /** Effects that may come more than once. */
  readonly mayRepeat: (effect: string) => boolean;
};

export function judgeRequests({ log, expected, mayRepeat }: RequestStory): readonly string[] {
  const mutations = log.filter((entry) => entry.class === "mutate");
  const effects = effectsOf(mutations);
  return [
    ...mutations.filter(({ refused, fault }) => refused && fault === null).map(refusalText),
    ...log.flatMap(({ n, violation }) => (violation ? [`violation: ${n}: ${violation}`] : [])),
    ...(expected === undefined
      ? twice(effects, mayRepeat)
      : compareEffects(expected, effects, mayRepeat)),
  ];
}

/** Sorted texts of the mutations that were accepted. */
export function effectsOf(log: readonly LoggedRequest[]): readonly string[] {
  return log
    .filter((entry) => entry.class === "mutate" && entry.effect)
    .map((entry) => requestText(entry))
    .toSorted();
}

function refusalText({ n, method, path, status }: LoggedRequest): string {
  return `refused: ${n}: ${method} ${path} (${status})`;
}

function twice(
  effects: readonly string[],
  mayRepeat: RequestStory["mayRepeat"],
): readonly string[] {
  return effects
    .filter((effect, index) => effects[index - 1] === effect && !mayRepeat(effect))
    .map((effect) => `twice: ${effect}`);
}

/** Interrupted or not, the same is done: nothing twice, nothing left out. */
function compareEffects(
  expected: readonly string[],
  effects: readonly string[],
  mayRepeat: RequestStory["mayRepeat"],
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
