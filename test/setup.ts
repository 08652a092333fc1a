/**
 * Runs before every test file: property tests print the seed, the path and the shrunken
 * counterexample of a failure; `VMFORM_FC_RUNS` sets how many cases each one tries, where the test
 * does not fix the number itself.
 */

import { configureGlobal, VerbosityLevel } from "fast-check";

const wanted = process.env.VMFORM_FC_RUNS;
const numRuns = wanted === undefined || wanted === "" ? undefined : Number(wanted);
if (numRuns !== undefined && (!Number.isSafeInteger(numRuns) || numRuns < 1)) {
  throw new Error(`VMFORM_FC_RUNS must be a positive integer, not "${wanted}"`);
}

configureGlobal({
  verbose: VerbosityLevel.Verbose,
  // The runner's own limit ends a hang; a property is never cut short by the clock.
  ...(numRuns === undefined ? {} : { numRuns }),
});
