/**
 * Runs before every test file: property tests print the seed, the path and the shrunken
 * counterexample of a failure. A run tries the same cases each time, so that a red test is the fault
 * of the change that made it red; new cases are looked for on purpose: `VMFORM_FC_SEED=random` (or a
 * number) sets the seed, `VMFORM_FC_RUNS` how many cases each property tries, where the test does not
 * fix the number itself.
 */

import { configureGlobal, VerbosityLevel } from "fast-check";

const usualSeed = 20_260_214;

const numRuns = positiveInteger("VMFORM_FC_RUNS");
const random = process.env.VMFORM_FC_SEED === "random";

function positiveInteger(name: string): number | undefined {
  const wanted = process.env[name];
  if (wanted === undefined || wanted === "") return undefined;
  const number = Number(wanted);
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new Error(`${name} must be a positive integer, not "${wanted}"`);
  }
  return number;
}

configureGlobal({
  verbose: VerbosityLevel.Verbose,
  ...(random ? {} : { seed: positiveInteger("VMFORM_FC_SEED") ?? usualSeed }),
  // The runner's own limit ends a hang; a property is never cut short by the clock.
  ...(numRuns === undefined ? {} : { numRuns }),
});
