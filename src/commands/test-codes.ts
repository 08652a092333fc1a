/** What runs of tests have to say, as part of `codes.ts`. */

import type { Explanation } from "../model/said/explanation.ts";

export const testRunCodes = {
  CLI040: {
    summary: "Assertion does not hold",
    explanation:
      "A condition of a test is false. Below it stands what its parts came to: the mistake is in " +
      "the configuration, or the test expects what is not so.",
  },
  CLI041: {
    summary: "Expected problem was not told",
    explanation:
      "The run of a test expects an error or a warning with this code, and it did not come. What " +
      "the test guards against may be possible now.",
  },
  CLI042: {
    summary: "Exit code is another",
    explanation: "The run of a test names the exit code to expect, and would end with another.",
  },
  CLI043: {
    summary: "Assertion cannot be judged",
    explanation:
      "A condition of a test came to no answer: it names something that is not there, or that is " +
      "known only after apply. What cannot be judged has not passed.",
    fix: "Judge what is known only after apply in a run of apply.",
  },
  CLI044: {
    summary: "Run of a test cannot be begun",
    explanation:
      "The simulated world, the faults, the changes or the time of the run are not acceptable; " +
      "the message says which, and where.",
  },
  CLI045: {
    summary: "Run of a test has broken off",
    explanation: "A fault of vmform itself ended the run. The other files are tested all the same.",
    fix: "Please report it.",
  },
  CLI046: {
    summary: "No tests",
    explanation:
      "There is no file of tests in the folder, or what was chosen is not there: nothing was " +
      "tested, which must not look like success.",
    fix: "Files of tests are called *.vmformtest.yaml, in the folder or in tests/ below it.",
  },
  CLI047: {
    summary: "Fault has not occurred",
    explanation:
      "The run of a test has faults, and no request met one of them: what the test says about it " +
      "was not tested. Of a script that is given by its path, at least one rule has to be used.",
    fix: "Write `on`, `nth` and the rest so that a request of the run fits, or leave the rule out.",
  },
} as const satisfies { readonly [code: string]: Explanation };
