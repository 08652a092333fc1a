/** A board as a team has one: long names, every outcome, hostile words, and runs of many objects. */

import { boardStatuses } from "../../src/model/board/board.ts";
import type { RunRecord } from "../../src/model/recorded/run-record.ts";
import { boardRun, boardState, type MemoryBoard } from "../helpers/memory-board.ts";
import { buildOperation, buildPlan } from "../helpers/plan-builder.ts";
import { address } from "../helpers/recorded-builder.ts";
import { planCases } from "../unit/render/plan-cases.ts";

const startMs = Date.UTC(2026, 10, 30, 4, 0, 0);
const long =
  "infra/production/eu-central-1/datacenter-07/rack-0042/hypervisors-of-the-finance-team";
const hostile = `<script>alert("x")</script>'"&\u202e`;
const manyObjects = 10_000;

/** Fills what the pages of this board show. */
export function fillBoard({ all }: MemoryBoard): void {
  const last = boardRun({ id: "3f8e2a90b1", status: "done" });
  all.states = [
    boardState({ name: "infra/prod", objects: 12, waiting: 2, lastRun: last }),
    boardState({
      ...{ name: long, objects: 1_204_221, lastRun: { ...last, status: "unfinished" as const } },
      holder: { who: `kim@${"build-agent-".repeat(6)}17`, operation: "apply", sinceMs: startMs },
    }),
    boardState({ name: "sealed", sealed: true }),
    boardState({ name: hostile, lastRun: { ...last, command: hostile } }),
    boardState({ name: "w".repeat(300) }),
  ];
  all.runs = [
    boardRun({
      ...{
        id: "run-needy",
        status: "needs-approval",
        plan: planCases["power-cycle"] ?? buildPlan(),
      },
      need: {
        planId: "plan-1",
        kinds: [
          { kind: "power-cycle", addresses: ["daemon_vm.web"] },
          { kind: "destroy", addresses: Array.from({ length: 40 }, (_, at) => vm(at)) },
        ],
      },
      ...{ planId: "plan-1", mayDecline: true, what: "add 2, change 1" },
      message: `Plan: 2 to add. To approve it: vmform approve run-needy --plan ${"0a".repeat(32)}`,
      events: [{ atMs: startMs, text: "one has taken apply run-needy of the state infra/prod" }],
    }),
    ...boardStatuses.map((status, at) => boardRun({ id: `run-${at}-${status}`, status })),
    boardRun({ id: "run-queued", status: "queued", mayCancel: true, state: long }),
    boardRun({ id: "run-record", record: recordOf(12), state: long, who: `ada@${"x".repeat(80)}` }),
    boardRun({ id: "run-many", record: recordOf(manyObjects), plan: planOf(manyObjects) }),
    boardRun({ id: "run-hostile", plan: planCases["hostile"] ?? buildPlan(), message: hostile }),
    boardRun({ id: "run-every", plan: planCases["every-action"] ?? buildPlan() }),
    boardRun({ id: "run-sealed", sealed: true }),
  ];
  all.agents = [
    {
      ...{ kind: "worker", name: "build-agent-17-4242", detail: "3 runs at once", now: "at work" },
      ...{ version: "1.2.3", seenMs: startMs },
    },
    {
      ...{ kind: "agent", name: "basement", detail: `on ${"host-".repeat(20)}1`, now: "absent" },
      ...{ version: "1.2.3-beta.4+build.5", seenMs: startMs },
    },
  ];
  const detail = `The header came twice, ${"again and ".repeat(20)}again`;
  all.audits = Array.from({ length: 60 }, (_, at) => ({
    ...{ atMs: startMs, who: at % 7 === 0 ? hostile : "ada", via: "oidc", action: "approve" },
    ...{ subject: at % 2 === 0 ? "run-needy" : long, detail: at % 5 === 0 ? detail : "" },
  }));
  all.drifts.set("infra/prod", {
    reports: Array.from({ length: 40 }, (_, at) => ({
      ...{ createdMs: startMs + at * 900_000, objects: 12, found: at % 7 },
    })),
    found: [
      { address: "daemon_vm.web", verdict: "drifted" },
      {
        address: `module.${"deep.module.".repeat(12)}daemon_vm.a["${"k".repeat(90)}"]`,
        verdict: "missing",
      },
    ],
    schedule: { cron: "*/15 * * * *", zone: "America/Argentina/ComodRivadavia" },
  });
}

function vm(at: number): string {
  return `module.lab[${at}].daemon_vm.machine["${"name".repeat(at % 5)}-${at}"]`;
}

function recordOf(length: number): RunRecord {
  return {
    ...{ id: "r", command: "apply", who: "kim", host: "site", version: "1.2.3", lockId: "l" },
    ...{ beganMs: startMs, position: 7, changes: [], said: ["a warning that was said"] },
    operations: Array.from({ length }, (_, at) => {
      const beganMs = startMs + (at % 100) * 500;
      const outcome = at % 9 === 8 ? ("failed" as const) : ("success" as const);
      return {
        ...{ planId: "p", id: `${vm(at)}#on.1` as never, verb: "on", address: address(vm(at)) },
        ...{ beganMs, endedMs: beganMs + 4000, outcome },
        ...(outcome === "failed" ? { message: `refused: ${"because ".repeat(30)}` } : {}),
      };
    }),
  };
}

function planOf(length: number) {
  return buildPlan({
    operations: Array.from({ length }, (_, at) => buildOperation(`daemon_vm.vm_${at}`, "on", {})),
  });
}

/** Every page of it, by what it is called in pictures. */
export const samplePages: { readonly [name: string]: string } = {
  states: "states",
  nothing: "states?text=nobody",
  state: "state?name=infra/prod",
  sealed: "state?name=sealed",
  runs: "runs",
  approvals: "approvals",
  needy: "run?id=run-needy",
  queued: "run?id=run-queued",
  record: "run?id=run-record",
  many: "run?id=run-many",
  hostile: "run?id=run-hostile",
  every: "run?id=run-every",
  "run-sealed": "run?id=run-sealed",
  agents: "agents",
  audit: "audit",
  missing: "run?id=nobody",
};
