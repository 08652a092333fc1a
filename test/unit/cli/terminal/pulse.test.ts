/** When signs of life are given, and of what: a table of what is heard and told over time. */

import { expect, test } from "vitest";
import { createPulse } from "../../../../src/cli/terminal/pulse.ts";
import type { ApplyOverview, EngineEvent, Wait } from "../../../../src/model/operation/event.ts";
import { heartbeatText } from "../../../../src/render/run/heartbeat-text.ts";
import { at } from "../../state/samples.ts";

const everyMs = 10_000;
const noon = Date.UTC(2026, 10, 28, 12);

/** Hears and looks in turn; each look is a second later, and what it tells is written. */
function pulseAt() {
  let nowMs = 0;
  const pulse = createPulse(() => nowMs, everyMs);
  const told: string[] = [];
  return {
    told,
    hear: (...events: readonly EngineEvent[]) => {
      for (const event of events) pulse.hear(event);
      pulse.written();
    },
    quietly: (event: EngineEvent) => pulse.hear(event),
    pass: (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        nowMs += 1_000;
        for (const beat of pulse.beat()) {
          told.push(`${nowMs / 1_000} ${heartbeatText(beat, noon)}`);
          pulse.written();
        }
      }
    },
  };
}

function started(name: string): EngineEvent {
  return {
    kind: "operation-started",
    address: at(`daemon_vm.${name}`),
    id: `daemon_vm.${name}#clone.1`,
    summary: `clone ${name}`,
    untilMs: noon + 3_600_000,
  };
}

function overview(parts: Partial<ApplyOverview> = {}): EngineEvent {
  const whole = { total: 30, done: 12, queue: [], ...parts };
  return { kind: "apply-started", overview: () => whole };
}

test("one that runs: every ten seconds, its end, the counts and once how to stop", () => {
  const { hear, pass, told } = pulseAt();
  hear(overview(), started("a"));
  pass(25);
  expect(told).toEqual([
    "10 daemon_vm.a: Still running: clone a [10s elapsed, until 13:00:00, 12 of 30 done]" +
      " (Ctrl-C lets what runs end, and begins nothing more)",
    "20 daemon_vm.a: Still running: clone a [20s elapsed, until 13:00:00, 12 of 30 done]",
  ]);
});

test("many that run share a line, which names the oldest", () => {
  const { hear, pass, told } = pulseAt();
  hear(overview(), started("a"));
  pass(2);
  hear(...["b", "c", "d", "e"].map(started));
  hear({
    kind: "operation-progress",
    address: at("daemon_vm.a"),
    id: "daemon_vm.a#clone.1",
    word: "running",
  });
  pass(10);
  expect(told).toEqual([
    "12 Still running: 12 of 30 done, 5 running; longest daemon_vm.a: clone a [12s elapsed]",
  ]);
});

test("after a minute each of several is told of less often, and yet no ten seconds are silent", () => {
  const { hear, pass, told } = pulseAt();
  hear(overview(), started("a"), started("b"));
  pass(150);
  const seconds = told.map((line) => Number(line.split(" ")[0]));
  const gaps = seconds.map((second, index) => second - (seconds[index - 1] ?? 0));
  expect(Math.max(...gaps)).toBe(10);
  const late = told.filter((line) => Number(line.split(" ")[0]) > 60);
  // Two of every ten seconds would be eighteen.
  expect(late.length).toBeLessThanOrEqual(11);
});

test("who waits for whom is told with the first beat, and again after half a minute", () => {
  const { hear, pass, told } = pulseAt();
  const queue = [{ addresses: [at("cloud_vm.c"), at("cloud_vm.d")], behind: "for cloud_vm.a" }];
  hear(overview({ queue }), started("a"));
  pass(45);
  expect(told.filter((line) => line.includes("Not begun yet"))).toEqual([
    "10 Not begun yet: cloud_vm.c, cloud_vm.d wait for cloud_vm.a",
    "40 Not begun yet: cloud_vm.c, cloud_vm.d wait for cloud_vm.a",
  ]);
});

const settling: Wait = {
  rank: "work",
  what: "looking whether clone has happened",
  address: at("daemon_vm.a"),
  id: "daemon_vm.a#clone.1",
  untilMs: noon + 60_000,
  wayOut: "vmform state resolve daemon_vm.a --not-done",
  announced: true,
  words: () => "so far there is no such object",
};

test("an operation that waits is told with the last words, and a minute later with the way out", () => {
  const { hear, pass, told } = pulseAt();
  hear(overview(), started("a"), { kind: "wait-started", wait: settling });
  pass(65);
  expect(told[0]).toBe(
    "10 daemon_vm.a: Still running: looking whether clone has happened [10s elapsed, " +
      "until 12:01:00, 12 of 30 done]: so far there is no such object",
  );
  expect(told.filter((line) => line.includes("state resolve"))).toHaveLength(1);
});

test("without operations, the work in hand, and beside it the request that is not answered", () => {
  const { hear, quietly, pass, told } = pulseAt();
  hear({ kind: "wait-started", wait: { rank: "phase", what: "checking provider daemon" } });
  const words = (): string => "requests so far: 7";
  quietly({ kind: "wait-started", wait: { rank: "work", what: "reading 24 objects", words } });
  pass(4);
  const request: Wait = { rank: "request", what: "waiting for the reply to GET /api/vms" };
  quietly({ kind: "wait-started", wait: request });
  pass(6);
  quietly({ kind: "wait-ended", wait: request });
  pass(10);
  expect(told).toEqual([
    "10 Still reading 24 objects [10s elapsed]: requests so far: 7; waiting for the reply to " +
      "GET /api/vms for 6 s (Ctrl-C is safe)",
    "20 Still reading 24 objects [20s elapsed]: requests so far: 7",
  ]);
});

test("nothing to tell: while a question stands there, and after the end", () => {
  const { hear, pass, told } = pulseAt();
  pass(60);
  hear(overview(), started("a"));
  hear(
    {
      kind: "operation-ended",
      address: at("daemon_vm.a"),
      id: "daemon_vm.a#clone.1",
      outcome: "success",
      elapsedMs: 1,
    },
    { kind: "apply-ended" },
  );
  pass(60);
  expect(told).toEqual([]);
});
