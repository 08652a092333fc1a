/**
 * Remote tasks of a cloud, and the requests that begin them, in every way they can end: only success
 * with its effect is success, what was sent is never sent again before it is known to be without
 * effect, and the next run finishes.
 */

import { afterEach, expect, test } from "vitest";
import type { CloudDocument } from "../../src/simulators/cloud/world/world-document.ts";
import type { FaultDocument } from "../../src/simulators/faults.ts";
import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import { some } from "../helpers/amount.ts";
import {
  type CloudPlace,
  createCloudPlace,
  isMutation,
  type Resources,
  world,
} from "./cloud-place.ts";
import { expectSaid } from "./place-parts.ts";
import type { ShownOperation } from "./previewed.ts";
import { limitsOf } from "./type-limits.ts";

/** Simulated time: a test waits a twentieth of it. */
const requestLimit = "5s";
/** What only a hang reaches, and what is waited out. */
const [generous, short] = ["60m", "30s"];
const limits = { update: generous, power: generous, create: generous, request: requestLimit };
const timeouts = limitsOf("cloud_vm", limits);
const allow = ["--allow", "power-off,power-cycle,discard-state,destroy"];
const apply = ["apply", "--auto-approve", ...allow];

let place: CloudPlace;
afterEach(() => place.remove());

const relocate = { on: "POST /api/vApp/*/action/relocate" } as const;
const undeploy = { on: "POST /api/vApp/*/action/undeploy" } as const;
const powerOn = { on: "POST /api/vApp/*/power/action/powerOn" } as const;
const nested = { on: "POST /api/vApp/*/action/enableNestedHypervisor" } as const;
const snapshot = { on: "POST /api/vApp/*/action/createSnapshot" } as const;
const poll = { on: "GET /api/task/*" } as const;

const denied = {
  status: 403,
  minor_code: "ACCESS_TO_RESOURCE_IS_FORBIDDEN",
  message: "This operation is denied.",
};

type Row = {
  readonly name: string;
  readonly faults: readonly FaultDocument[];
  readonly rules?: CloudDocument["rules"];
  /** Exit code of the run that meets the fault; what it says. */
  readonly code: 0 | 1;
  readonly says: readonly (string | RegExp)[];
  /** The limit is waited out. */
  readonly isOverdue?: true;
  /** A fault that makes a correct client look wrong to the simulator. */
  readonly excuse?: true;
  /** The word that closes a window is sent again when its task had no effect. */
  readonly closesAgain?: true;
};

const moves: readonly Row[] = [
  {
    name: "a task that fails is told in the server's words",
    faults: [{ ...relocate, task: { end: "error", message: "No space left on fast." } }],
    code: 1,
    says: [
      'task "Relocated Virtual Machine a(',
      "500 INTERNAL_SERVER_ERROR: No space left on fast.",
    ],
  },
  {
    name: "a task that is canceled is no success",
    faults: [{ ...relocate, task: { end: "canceled" } }],
    code: 1,
    says: ["was canceled"],
  },
  {
    name: "a task that is aborted is no success",
    faults: [{ ...relocate, task: { end: "aborted" } }],
    code: 1,
    says: ["was aborted"],
  },
  {
    name: "a task with a word that nobody knows is waited for",
    faults: [{ ...relocate, task: { meanwhile: "postRunning" } }],
    code: 0,
    says: ["relocate complete"],
  },
  {
    name: "a task that never ends is left, and found again by the next run",
    faults: [{ ...relocate, task: { end: "paused" } }],
    isOverdue: true,
    code: 1,
    says: ["Remote task is paused", "is still paused after 30 s", "the next run attaches to it"],
  },
  {
    name: "a task that shows no progress is waited for",
    faults: [],
    rules: { progress: "zero" },
    code: 0,
    says: ["relocate complete"],
  },
  {
    name: "a task that succeeds without effect is a failure",
    faults: [{ ...relocate, task: { effect: false } }],
    code: 1,
    says: ["its task succeeded, but datastore is still old, not fast"],
  },
  {
    name: "a task that is gone, and its effect is there",
    faults: [{ ...relocate, task: { lost: true } }],
    code: 0,
    says: ["relocate complete"],
  },
  {
    name: "a task that is gone, and so is its effect",
    faults: [{ ...relocate, task: { lost: true, effect: false } }],
    code: 1,
    says: ["its task is gone, and datastore is still old, not fast"],
  },
  {
    name: "polls that fail say nothing of the task",
    faults: [{ ...poll, times: 6, reply: { status: 502, body: "<html>Bad gateway" } }],
    code: 0,
    says: ["status 502", "relocate complete"],
  },
  {
    name: "a poll that answers a page says nothing of the task",
    faults: [{ ...poll, times: 2, foreign: {} }],
    code: 0,
    says: ["relocate complete"],
  },
  {
    name: "a busy vApp is asked again",
    faults: [{ ...relocate, times: 2, busy: true }],
    code: 0,
    says: [/Waiting: .*is busy completing an operation; next try in 1 s/, "relocate complete"],
  },
  {
    name: "a vApp that is busy beyond the limit is given up, with who keeps it so",
    faults: [
      {
        ...relocate,
        change: { start_cloud_task: { vm: "b", duration_ms: 600_000, user: "carol" } },
      },
    ],
    excuse: true,
    isOverdue: true,
    code: 1,
    says: [
      /relocate failed .*running now: Updating Virtual Machine b.*by carol.*given up at the limit of 30 s/,
    ],
  },
  {
    name: "a right that was lost since planning",
    faults: [{ ...relocate, times: "always", refusal: denied }],
    code: 1,
    says: ["the cloud answered 403", "the user has no right to it"],
  },
  {
    name: "a datastore that was disabled since planning",
    faults: [
      { ...relocate, change: { change_cloud_datastore: { datastore: "fast", enabled: false } } },
    ],
    code: 1,
    says: [/remote task "Relocat.*failed: /],
  },
  {
    name: "a server that is too busy for requests is asked again after the pause it asks for",
    faults: [
      {
        ...relocate,
        reply: { status: 429, headers: { "retry-after": "3" }, body: "slow down" },
      },
    ],
    code: 0,
    says: ["next try in 3 s", "relocate complete"],
  },
  {
    name: "an answer that names no task: the task is found",
    faults: [{ ...relocate, reply: { status: 202, effect: true } }],
    code: 0,
    says: ["relocate complete"],
  },
  {
    name: "an answer that is lost: the task is found",
    faults: [{ ...relocate, reset: "after" }],
    code: 0,
    says: ["relocate complete"],
  },
  {
    name: "an answer that is cut: the task is found",
    faults: [{ ...relocate, cut: 100 }],
    code: 0,
    says: ["relocate complete"],
  },
  {
    name: "a page for an answer, and the task runs",
    faults: [{ ...relocate, foreign: { effect: true } }],
    code: 0,
    says: ["relocate complete"],
  },
  {
    name: "a page for an answer, and nothing runs",
    faults: [{ ...relocate, foreign: {} }],
    code: 1,
    says: ["an HTML page", "the server lists no task of it, so the request did not arrive"],
  },
  {
    name: "a request that never arrived is not taken for done",
    faults: [{ ...relocate, reset: "before" }],
    code: 1,
    says: ["connection reset", "the server lists no task of it"],
  },
  {
    name: "a gateway that gave up, and the task runs",
    faults: [{ ...relocate, reply: { status: 504, body: "<html>Timeout", effect: true } }],
    code: 0,
    says: ["relocate complete"],
  },
];

test.each(some(moves, 1))("$name", async (row) => {
  const own = row.isOverdue ? { update: short, request: requestLimit } : timeouts;
  await meets(row, { "cloud_vm.a": { name: "a", datastore: "fast", timeouts: own } });
  const fast = place.simulators.world().cloud.datastores.find(({ key }) => key === "fast");
  expect(place.vm("a").datastoreId).toBe(fast?.id);
});

const cycle = { "cloud_vm.b": { name: "b", nested_hv_enabled: true, power: "on", timeouts } };

const windows: readonly Row[] = [
  {
    name: "a guest without tools is turned off hard",
    faults: [{ ...undeploy, change: { tools_cloud_vm: { vm: "b", tools: "absent" } } }],
    code: 0,
    says: [/undeploy-shutdown failed .*VMware Tools is not running/, "undeploy complete"],
  },
  {
    name: "a VM that cannot be turned off stays on, and nothing else is tried",
    faults: [{ ...undeploy, times: "always", refusal: { status: 400, message: "No." } }],
    code: 1,
    says: ["undeploy-shutdown failed", "undeploy failed"],
  },
  {
    name: "a change that fails while the VM is off: it is turned on again",
    faults: [{ ...nested, task: { end: "error", message: "The host does not support it." } }],
    code: 1,
    says: ["The host does not support it.", "power-on complete"],
  },
  {
    name: "a change that has no effect while the VM is off: it is turned on again",
    faults: [{ ...nested, task: { effect: false } }],
    code: 1,
    says: ["its task succeeded, but nested_hv_enabled is still false", "power-on complete"],
  },
  {
    name: "a VM that does not come back at once is asked again",
    faults: [{ ...powerOn, times: 2, task: { end: "error", message: "No host has room." } }],
    code: 0,
    closesAgain: true,
    says: ["power-on complete"],
  },
  {
    name: "a VM that does not come back is owed its power, which the next run gives",
    faults: [{ ...powerOn, times: "always", task: { end: "canceled" } }],
    code: 1,
    closesAgain: true,
    says: ["power-on failed", "was canceled"],
  },
];

test.each(some(windows, 1))("$name", async (row) => {
  await meets(row, cycle);
  expect(place.vm("b")).toMatchObject({ status: 4, nested: true });
});

const snapshots: readonly Row[] = [
  {
    name: "a snapshot that fails is told",
    faults: [{ ...snapshot, task: { end: "error", message: "Out of space." } }],
    code: 1,
    says: ["Out of space."],
  },
  {
    name: "a snapshot that succeeds and is not there",
    faults: [{ ...snapshot, task: { effect: false } }],
    code: 1,
    says: ["its task succeeded, but there is no such object"],
  },
  {
    name: "a snapshot whose answer is lost is not made twice",
    faults: [{ ...snapshot, reset: "after" }],
    code: 0,
    says: ["create complete"],
  },
  {
    name: "a snapshot whose task is gone is looked for",
    faults: [{ ...snapshot, task: { lost: true } }],
    code: 0,
    says: ["create complete"],
  },
];

test.each(some(snapshots, 1))("$name", async (row) => {
  await meets(row, {
    "cloud_vm.b": { name: "b" },
    "cloud_snapshot.b": { vm: "${cloud_vm.b.href}", timeouts: limitsOf("cloud_snapshot", limits) },
  });
  expect(place.vm("b").snapshot).not.toBeNull();
});

/** Plans, then applies under the fault, then without it. */
async function meets(row: Row, resources: Resources): Promise<void> {
  place = await createCloudPlace({ ...world, ...(row.rules ? { rules: row.rules } : {}) });
  if (row.excuse) place.excuse("violation");
  place.write(resources);
  const operations = await planned();
  await place.setFaults(...row.faults);
  const sent = await place.logged(async () => {
    const output = await place.run(row.code, "apply", place.file("p.plan"));
    expectSaid(output, row.says);
  });
  const repeated = row.closesAgain ? /powerOn$/ : /^$/;
  const problems = problemsOf(operations, sent).filter((name) => !repeated.test(name));
  expect(problems).toEqual([]);
  await finishes();
}

/** Saves a plan, and gives what it shows. */
async function planned(): Promise<readonly ShownOperation[]> {
  await place.run(0, "plan", ...allow, "--out", place.file("p.plan"));
  const { stdout } = await place.run(0, "show", place.file("p.plan"), "--json");
  return (JSON.parse(stdout) as { readonly operations: readonly ShownOperation[] }).operations;
}

/** Requests that were not shown, and those that had an effect more often than they were shown. */
function problemsOf(operations: readonly ShownOperation[], sent: readonly LoggedRequest[]) {
  const nameOf = ({ method, path }: { readonly method: string; readonly path: string }): string =>
    `${method} ${path}`;
  const shown = operations.flatMap(({ request }) => (request === undefined ? [] : nameOf(request)));
  const mutations = sent.filter(isMutation);
  const count = (names: readonly string[], name: string): number =>
    names.filter((each) => each === name).length;
  const effects = mutations.filter(({ effect }) => effect).map(nameOf);
  return [
    ...mutations.map(nameOf).filter((name) => !shown.includes(name)),
    ...effects.filter((name) => count(effects, name) > count(shown, name)),
  ];
}

/** Without the fault, what is left is done, once, and nothing is left after that. */
async function finishes(): Promise<void> {
  await place.setFaults();
  await place.change({ change_cloud_datastore: { datastore: "fast", enabled: true } });
  // Tasks of the fault that never end are ended by their time.
  await place.change((now) => ({
    ...now,
    cloud: {
      ...now.cloud,
      tasks: now.cloud.tasks.map((task) =>
        task.ended === null || task.ended.status === "paused"
          ? { ...task, ended: { atMs: task.endMs, status: "error", error: null } }
          : task,
      ),
    },
  }));
  await place.run(0, ...apply);
  await place.run(0, "plan", "--detailed-exitcode");
  await place.run(0, "drift");
}
