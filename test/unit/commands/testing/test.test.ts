/** A fault of ours in one file of tests is told there, and the others are run. */

import { expect, test } from "vitest";
import { testCommand } from "../../../../src/commands/testing/test.ts";
import { fakeEnvironment, stateOf } from "../fake-environment.ts";

const tests = "runs: [{ name: one }, { name: two }]";

test("a file that breaks off fails, and those after it are told in their order", async () => {
  const { environment } = fakeEnvironment({
    state: stateOf([]),
    files: {
      "a.vmformtest.yaml": tests,
      "b.vmformtest.yaml": "runs: []",
      "c.vmformtest.yaml": tests,
    },
  });
  const told: string[] = [];
  const report = await testCommand(
    {
      ...environment,
      lookAtFile: (path) => Promise.resolve({ kind: "absent", path }),
      openTestWorld: () => Promise.reject(new TypeError("a fault of ours")),
    },
    {
      directory: ".",
      given: { variables: [], variableFiles: [] },
      filters: [],
      runs: [],
      parallel: 2,
      forms: { recorded: () => ({}), drift: () => ({}) },
      hear: () => ({ event: () => {}, plan: () => {} }),
      ended: ({ file, failures }) => {
        told.push(`${file} ${failures.map(({ diagnostic }) => diagnostic.code).join(" ")}`);
      },
    },
  );
  expect(told).toEqual([
    "a.vmformtest.yaml CLI045",
    "b.vmformtest.yaml CFG110",
    "c.vmformtest.yaml CLI045",
  ]);
  expect(report.files.map(({ status }) => status)).toEqual(["failed", "failed", "failed"]);
});
