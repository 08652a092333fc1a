/** What is refused where a selection leaves something out: said once, with the way out. */

import { expect, test } from "vitest";
import { DiagnosticError } from "../../../../src/commands/environment.ts";
import { requireNothingLeftOut, requireReplaced } from "../../../../src/commands/plan/complete.ts";
import type { Diagnostic } from "../../../../src/model/said/diagnostic.ts";
import { buildChange, buildPlan } from "../../../helpers/plan-builder.ts";
import { address } from "../../../helpers/recorded-builder.ts";

const said = (detail: string, fix: string): Diagnostic => ({
  ...{ severity: "error", code: "TST001", summary: "Not known", detail, fix },
});
const waits = (subject: string, setting: string) => ({
  ...{ subject, setting, references: [], problem: said },
});
const leftOut = [address("daemon_vm.web")];
const plan = buildPlan({
  changes: [
    buildChange('daemon_vm.web["a"]', { action: "delete" }),
    buildChange('daemon_vm.web["b"]', { action: "delete" }),
  ],
});

/** What the refusal says, as `detail | fix`. */
function refused(run: () => void): readonly string[] {
  try {
    run();
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return error.diagnostics.map(({ detail, fix }) => `${detail} | ${fix}`);
  }
  return [];
}

const touched = 'The plan is about daemon_vm.web["a"] as well, and';
const wayOut = "Leave out more: --exclude 'daemon_vm.web[\"a\"]'";

test.each([
  ["one value", [waits("daemon_vm.web", "for_each")], "for_each of daemon_vm.web is not known."],
  [
    "one setting that waits for two",
    [waits("daemon_vm.web", "for_each"), waits("daemon_vm.web", "for_each")],
    "for_each of daemon_vm.web is not known.",
  ],
  [
    "two settings",
    [waits("daemon_vm.web", "for_each"), waits("module.m", "count")],
    "for_each of daemon_vm.web and count of module.m are not known.",
  ],
])("a plan about what is left out says so once: %s", (_name, waiting, unknown) => {
  expect(refused(() => requireNothingLeftOut({ leftOut, waiting }, plan))).toEqual([
    `${touched} ${unknown} | ${wayOut}`,
  ]);
});

test("what is left out and does not change is no matter", () => {
  const still = buildPlan({ changes: [buildChange('daemon_vm.web["a"]', { action: "no-op" })] });
  const waiting = [waits("daemon_vm.web", "for_each")];
  expect(refused(() => requireNothingLeftOut({ leftOut, waiting }, still))).toEqual([]);
});

const [a, b] = [address("daemon_vm.a"), address("daemon_vm.b")];

test.each([
  ["a target that is another", { targets: [b], excludes: [] }, "--target leaves it out"],
  ["an exclusion of it", { targets: [], excludes: [a] }, "--exclude leaves it out"],
  ["an exclusion of its target", { targets: [a], excludes: [a] }, "--exclude leaves it out"],
  ["an exclusion of what it needs", { targets: [a], excludes: [b] }, "--exclude leaves it out"],
  ["both", { targets: [b], excludes: [a] }, "--exclude leaves it out"],
])("what is to be replaced names why it is left out: %s", (_name, chosen, says) => {
  const run = () => requireReplaced({ ...chosen, replace: [a] }, { moved: [] }, buildPlan());
  expect(run).toThrow(says);
});
