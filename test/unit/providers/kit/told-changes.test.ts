/** Which tasks explain what has drifted, and what is withheld. */

import { expect, test } from "vitest";
import { RemoteError } from "../../../../src/model/operation/remote-error.ts";
import type { RemoteTask } from "../../../../src/providers/kit/tasks.ts";
import { toldByTasks, unlessWithheld } from "../../../../src/providers/kit/told-changes.ts";

const sinceMs = 1_000_000;

function task(operation: string, startMs: number, more: Partial<RemoteTask> = {}): RemoteTask {
  return {
    ...{ key: "t", word: "success", hasEnded: true, operation, label: operation, owner: "vm-1" },
    ...{ user: "bob", isForeign: false, startMs, progress: undefined, failure: "" },
    ...more,
  };
}

const kinds = { power: /^powerOff/i, size: /^reconfig/i };
const given = { kinds, owner: "vm-1", source: "tasks" };

test.each<readonly [string, readonly RemoteTask[], string | undefined]>([
  [
    "the latest of the kind",
    [task("a.powerOff", 1.2e6), task("powerOffVM_Task", 1.5e6, { user: "eve" })],
    "eve",
  ],
  ["another kind", [task("reset", 1.5e6)], undefined],
  ["another object", [task("powerOff", 1.5e6, { owner: "vm-2" })], undefined],
  ["one that has failed", [task("powerOff", 1.5e6, { word: "error" })], undefined],
  ["one that still runs", [task("powerOff", 1.5e6, { word: "running" })], undefined],
  ["before our own work", [task("powerOff", 999_999)], undefined],
  ["so soon after it that it may be ours", [task("powerOff", sinceMs + 60_000)], undefined],
  ["without a time", [task("powerOff", 0, { startMs: undefined })], undefined],
])("%s", (_name, tasks, user) => {
  const question = { type: "vm", identity: "vm-1", attributes: ["power", "other"], sinceMs };
  const told = toldByTasks(question, tasks, given);
  expect(told.map((one) => [one.attributes, one.user])).toEqual(
    user === undefined ? [] : [[["power"], user]],
  );
});

test("what a session may not read is told once, and whatever else is wrong is a fault", async () => {
  const withheld: string[] = [];
  const refuse = () =>
    Promise.reject(new RemoteError({ kind: "forbidden", effect: "none", message: "no right" }));
  expect(await unlessWithheld(refuse, withheld)).toEqual([]);
  expect(await unlessWithheld(refuse, withheld)).toEqual([]);
  expect(withheld).toEqual(["no right"]);
  const fault = () => Promise.reject(new TypeError("a fault"));
  await expect(unlessWithheld(fault, withheld)).rejects.toThrow("a fault");
});
