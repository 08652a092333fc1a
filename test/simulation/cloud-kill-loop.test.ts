/** The kill loop of remote tasks and attached objects, on the virtual clock. */

import { expect, test } from "vitest";
import { allRules } from "../../src/model/plan/rules.ts";
import { amount, onlyInLongRun } from "../helpers/amount.ts";
import { createCloudScenario, tryCloudFaults, tryCloudKill } from "./cloud-scenario.ts";

const pointsWanted = Number(process.env.VMFORM_CLOUD_KILL_POINTS ?? amount(50, 2_000));
const firstSeed = Number(process.env.VMFORM_KILL_SEED ?? 1);
/** One point or one faulty run alone, to look at, with `VMFORM_KILL_SEED` and `VMFORM_TRACE=1`. */
const onlyPoint = process.env.VMFORM_KILL_AT;
const onlyFaults = process.env.VMFORM_FAULTS;
const faultyRuns = 8;

test("remote tasks outlive the process, and are never asked for twice", onlyInLongRun, async () => {
  const problems: string[] = [];
  let [points, scenarios, faults, skipped] = [0, 0, 0, 0];
  for (let seed = firstSeed; points < pointsWanted; seed += 1) {
    const scenario = await createCloudScenario(seed, allRules).catch((error: unknown) => {
      problems.push(`seed ${seed}: ${String(error)}`);
      return undefined;
    });
    if (problems.length > 20) break;
    if (scenario === undefined) {
      skipped += 1;
      continue;
    }
    scenarios += 1;
    if (onlyPoint !== undefined || onlyFaults !== undefined) {
      const alone =
        onlyFaults === undefined
          ? tryCloudKill(scenario, Number(onlyPoint), allRules)
          : tryCloudFaults(scenario, Number(onlyFaults), allRules);
      problems.push(...(await alone));
      break;
    }
    for (let killAt = 0; killAt <= scenario.points; killAt += 1) {
      points += 1;
      problems.push(...(await tryCloudKill(scenario, killAt, allRules).catch(crash(seed, killAt))));
    }
    for (let round = 0; round < faultyRuns; round += 1) {
      faults += 1;
      problems.push(...(await tryCloudFaults(scenario, round, allRules).catch(crash(seed, round))));
    }
  }
  const ran = `${points} points, ${faults} faulty runs, ${scenarios} scenarios`;
  console.log(`cloud kill loop: ${ran}, ${skipped} seeds that cannot be planned`);
  expect(problems.slice(0, 20)).toEqual([]);
});

function crash(seed: number, point: number): (error: unknown) => readonly string[] {
  return (error) => [`seed ${seed}, point ${point}: ${String(error)}`];
}
