/** The kill loop on the virtual clock: every point of thousands of runs. */

import { expect, test } from "vitest";
import { allRules } from "../../src/model/plan/rules.ts";
import { amount } from "../helpers/amount.ts";
import { createScenario, tryFaults, tryKill } from "./scenario.ts";

const pointsWanted = Number(process.env.VMFORM_KILL_POINTS ?? amount(60, 6_000));
const firstSeed = Number(process.env.VMFORM_KILL_SEED ?? 1);
/** One point alone, to look at: `VMFORM_KILL_SEED=7 VMFORM_KILL_AT=12 VMFORM_TRACE=1`. */
const onlyPoint = process.env.VMFORM_KILL_AT;

test("a run killed at any point is converged by the next one", async () => {
  const problems: string[] = [];
  let points = 0;
  let scenarios = 0;
  let faults = 0;
  for (let seed = firstSeed; points < pointsWanted; seed += 1) {
    const scenario = await createScenario(seed, allRules);
    if (scenario === undefined) continue;
    scenarios += 1;
    if (onlyPoint !== undefined) {
      problems.push(...(await tryKill(scenario, Number(onlyPoint), allRules)));
      break;
    }
    for (let killAt = 0; killAt <= scenario.points; killAt += 1) {
      points += 1;
      problems.push(...(await tryKill(scenario, killAt, allRules).catch(crash(seed, killAt))));
    }
    for (let round = 0; round < 5; round += 1) {
      faults += 1;
      problems.push(...(await tryFaults(scenario, round, allRules).catch(crash(seed, round))));
    }
    if (problems.length > 20) break;
  }
  console.log(`kill loop: ${points} points, ${faults} faulty runs, ${scenarios} scenarios`);
  expect(problems.slice(0, 20)).toEqual([]);
});

function crash(seed: number, point: number): (error: unknown) => readonly string[] {
  return (error) => [`seed ${seed}, point ${point}: ${String(error)}`];
}
