/** What is known of a run is what its events said. */

import { expect, test } from "vitest";
import type { ApplyOverview, Wait } from "../../../../src/model/operation/event.ts";
import { createLiveRun, type LiveRun } from "../../../../src/render/live/live-run.ts";
import { address as addressOf } from "../../../helpers/recorded-builder.ts";

const address = addressOf("cloud_vm.web");
const overview = (): ApplyOverview => ({ total: 3, done: 1, queue: [] });
const at = (steadyMs: number) => ({ steadyMs, wallMs: 1_000_000 + steadyMs });

function begun(): LiveRun {
  const run = createLiveRun();
  run.hear({ kind: "apply-started", overview }, at(0));
  run.hear(
    { kind: "operation-started", id: "a", address, summary: "move VM", untilMs: 1_060_500 },
    at(500),
  );
  return run;
}

test("nothing is shown before something is applied, nor after", () => {
  const run = createLiveRun();
  expect(run.picture(at(0))).toBeUndefined();
  run.hear({ kind: "apply-started", overview }, at(0));
  expect(run.picture(at(1))).toMatchObject({ total: 3, done: 1, running: [] });
  run.hear({ kind: "apply-ended" }, at(2));
  expect(run.picture(at(3))).toBeUndefined();
});

test("an operation has the time that its limit leaves, whatever the wall clock does later", () => {
  const run = begun();
  const [one] = run.picture({ steadyMs: 2_000, wallMs: 9_000_000 })?.running ?? [];
  expect(one).toMatchObject({ what: "move VM", startedMs: 500, limitMs: 60_000 });
});

test("progress and words are the last ones, and end with the operation", () => {
  const run = begun();
  run.hear({ kind: "operation-progress", id: "a", address, word: "running", progress: 20 }, at(1));
  run.hear({ kind: "operation-progress", id: "a", address, word: "running", progress: 40 }, at(2));
  expect(run.picture(at(3))?.running).toMatchObject([{ progress: 40, words: "running" }]);
  run.hear({ kind: "operation-ended", id: "a", address, outcome: "failed", elapsedMs: 3 }, at(4));
  expect(run.picture(at(5))).toMatchObject({ running: [], failed: 1 });
  // Words of an operation that has ended concern nobody.
  run.hear({ kind: "operation-waiting", id: "a", address, message: "late" }, at(6));
  expect(run.picture(at(7))?.running).toEqual([]);
});

test("a wait of an operation is told with it, another one by itself, requests with neither", () => {
  const run = begun();
  const own: Wait = { rank: "work", what: "until it is off", id: "a", words: () => "still on" };
  const other: Wait = { rank: "work", what: "reading 4 objects", address };
  run.hear({ kind: "wait-started", wait: own }, at(1_000));
  run.hear({ kind: "wait-started", wait: other }, at(1_500));
  run.hear({ kind: "wait-started", wait: { rank: "request", what: "GET /a" } }, at(1_600));
  expect(run.picture(at(2_000))).toMatchObject({
    running: [{ words: "still on" }],
    waits: [{ text: "cloud_vm.web: reading 4 objects", startedMs: 1_500 }],
  });
  run.hear({ kind: "wait-ended", wait: own }, at(2_500));
  run.hear({ kind: "wait-ended", wait: other }, at(2_500));
  expect(run.picture(at(3_000))).toMatchObject({ running: [{ words: undefined }], waits: [] });
});

test("counting is not done at each look, but after each end", () => {
  let asked = 0;
  const run = createLiveRun();
  const counting = (): ApplyOverview => ({ ...overview(), done: (asked += 1) });
  run.hear({ kind: "apply-started", overview: counting }, at(0));
  for (let ms = 0; ms < 400; ms += 100) run.picture(at(ms));
  expect(asked).toBe(1);
  run.hear(
    { kind: "operation-ended", id: "b", address, outcome: "success", elapsedMs: 1 },
    at(410),
  );
  expect(run.picture(at(420))?.done).toBe(2);
});

test("what the apply as a whole waits for is told while nothing runs", () => {
  const run = createLiveRun();
  run.hear({ kind: "apply-started", overview }, at(0));
  const wait: Wait = { rank: "phase", what: "waiting for the times that policies set" };
  run.hear({ kind: "wait-started", wait }, at(100));
  expect(run.picture(at(200))?.waits).toEqual([{ text: wait.what, startedMs: 100 }]);
  run.hear({ kind: "operation-started", id: "a", address, summary: "move VM" }, at(300));
  expect(run.picture(at(400))?.waits).toEqual([]);
});
