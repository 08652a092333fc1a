/**
 * Each rule of the engine is needed: turned off, something goes wrong. Where random scenarios,
 * killed and faulty, are not enough to show it, a scenario of its own does.
 */

import { describe, expect, test } from "vitest";
import { allRules, type Rules } from "../../src/model/plan/rules.ts";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import { cloudRuleScenarios } from "./cloud-rule-scenarios.ts";
import { replacementScenarios } from "./replacement-scenarios.ts";
import { ruleScenarios } from "./rule-scenarios.ts";
import { createScenario, type Scenario, tryFaults, tryKill } from "./scenario.ts";

/** Rules whose absence random scenarios notice, within this many points. */
const pointsMax = 1_500;
const searched: readonly (keyof Rules)[] = [
  "restore",
  "contentEnds",
  "settle",
  "settledClosing",
  "toolsWait",
  "cloneLock",
  "skipSatisfied",
];

const scenarios: Scenario[] = [];
let nextSeed = 1;

/** Scenarios in the order of their seeds, made when first needed. */
async function scenarioAt(index: number): Promise<Scenario> {
  for (;;) {
    const scenario = scenarios[index];
    if (scenario !== undefined) return scenario;
    const next = await createScenario(nextSeed, allRules);
    nextSeed += 1;
    if (next !== undefined) scenarios.push(next);
  }
}

test.each(searched)(
  "without the rule %s, random scenarios go wrong",
  onlyInLongRun,
  async (rule) => {
    const rules = { ...allRules, [rule]: false };
    let points = 0;
    for (let index = 0; points < pointsMax; index += 1) {
      const scenario = await scenarioAt(index);
      for (const attempt of attemptsAt(scenario, rules)) {
        points += 1;
        const [problem] = await attempt().catch((error: unknown) => [String(error)]);
        if (problem === undefined) continue;
        console.log(`rule ${rule}: seed ${scenario.seed}, ${points} points: ${problem}`);
        return;
      }
    }
    expect.unreachable(`nothing notices the rule's absence in ${points} points`);
  },
);

/** Every second point to be killed at, and some faulty runs. */
function attemptsAt(
  scenario: Scenario,
  rules: Rules,
): readonly (() => Promise<readonly string[]>)[] {
  const kills = Array.from(
    { length: 1 + Math.floor(scenario.points / 2) },
    (_, index) => () => tryKill(scenario, 2 * index, rules),
  );
  const faults = [0, 1, 2, 3].map((round) => () => tryFaults(scenario, round, rules));
  return [...kills, ...faults];
}

const ownScenarios = [...ruleScenarios, ...replacementScenarios, ...cloudRuleScenarios];

describe.each(some(ownScenarios, 6))("rule $rule: $name", ({ rule, problems }) => {
  test("on", async () => {
    expect(await problems(allRules)).toEqual([]);
  });

  test("off, it goes wrong", async () => {
    const found = await problems({ ...allRules, [rule]: false });
    console.log(`rule ${rule}: own scenario: ${found[0]}`);
    expect(found).not.toEqual([]);
  });
});

test("every rule is shown to be needed", () => {
  const shown = new Set([...searched, ...ownScenarios.map(({ rule }) => rule)]);
  expect([...shown].toSorted()).toEqual(Object.keys(allRules).toSorted());
});
