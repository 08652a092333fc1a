/** `vmform action` against a scripted session: what is refused, sent, followed, and told. */

import { describe, expect, test } from "vitest";
import {
  CommandError,
  DiagnosticError,
  InterruptedError,
} from "../../../../src/commands/environment.ts";
import {
  type ActionOptions,
  type ActionResult,
  actionCommand,
} from "../../../../src/commands/server/action.ts";
import {
  RemoteError,
  type RemoteErrorDetail,
} from "../../../../src/model/operation/remote-error.ts";
import type { ActionStep } from "../../../../src/model/provider/action.ts";
import type { ProviderSession, TaskStatus } from "../../../../src/model/provider/provider.ts";
import type { BeginEntry } from "../../../../src/model/recorded/begin-entry.ts";
import type { RecordedObject } from "../../../../src/model/recorded/recorded.ts";
import { StoreError } from "../../../../src/model/recorded/store.ts";
import { type Parts, withParts } from "../../../helpers/parts.ts";
import { address, beginEntry } from "../../../helpers/recorded-builder.ts";
import {
  type Fake,
  type FakeOptions,
  fakeEnvironment,
  recordedVm,
  settings,
  stateOf,
  vmPath,
} from "../fake-environment.ts";

const opened = `open cloud ${JSON.stringify(settings)} mutate`;
const web = stateOf([recordedVm("cloud_vm.web")]);
const task = { task: "/api/task/1" };
const running: TaskStatus = { status: "running", word: "running", progress: 40 };

type Run = Fake & {
  readonly steps: ActionStep[];
  readonly ended: Promise<ActionResult>;
};

function start(fake: FakeOptions, options: Partial<ActionOptions> = {}): Run {
  const made = fakeEnvironment(fake);
  const steps: ActionStep[] = [];
  const command = actionCommand(made.environment, {
    directory: ".",
    variables: [],
    variableFiles: [],
    address: "cloud_vm.web",
    action: "reset",
    allowed: [],
    lockTimeoutMs: 0,
    show: ({ action }) => void made.trace.push(`show ${action.name}`),
    review: () => Promise.resolve("agreed"),
    step: (_order, step) => void steps.push(step),
    ...options,
  });
  const ended = made.clock.until(command);
  ended.catch(() => {});
  return { ...made, steps, ended };
}

/** A session whose action begins a task that is polled as scripted; the last answer stays. */
function tasked(trace: string[], ...polls: readonly TaskStatus[]): Partial<ProviderSession> {
  let at = 0;
  return {
    act: (action, type, identity) => {
      trace.push(`act ${action} ${type} ${identity}`);
      return Promise.resolve({ handle: task });
    },
    poll: (handle) => {
      trace.push(`poll ${JSON.stringify(handle)}`);
      const status = polls[Math.min(at, polls.length - 1)];
      at += 1;
      return status === undefined ? Promise.reject(new Error("no poll")) : Promise.resolve(status);
    },
  };
}

const silent: Partial<ProviderSession> = { act: () => Promise.resolve({}) };

async function failure(run: Run): Promise<CommandError> {
  const error: unknown = await run.ended.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof CommandError) return error;
  throw new Error(`not refused: ${String(error)}`);
}

function openOn(id: string, parts: Parts<BeginEntry>): BeginEntry {
  const [text = ""] = id.split("#");
  const [type = ""] = text.split(".");
  const subject = { address: address(text), type, provider: "cloud" };
  return withParts(beginEntry({ id, subject }), parts);
}

describe("refused before anything is sent", () => {
  const recorded = { endpoint: { url: "https://cloud.test" } };
  const machine = {
    type: "manager_vm",
    provider: "cloud",
    identity: "vm-1",
    attributes: { instance_uuid: "1", power_state: "on" },
  };
  const uuid = (value: string): Partial<ProviderSession> => ({
    ...silent,
    read: () =>
      Promise.resolve([
        { status: "found", identity: "vm-1", attributes: { instance_uuid: value }, unreadable: {} },
      ]),
  });
  test.each<[string, Partial<RecordedObject>, Partial<ProviderSession>, string | undefined]>([
    ["at its endpoint", recorded, { ...silent, url: "https://cloud.test" }, undefined],
    ["at another endpoint", recorded, { ...silent, url: "https://east.test" }, "elsewhere"],
    ["the VM that is recorded", machine, uuid("1"), undefined],
    ["another VM with its id", machine, uuid("2"), "elsewhere"],
  ])("%s", async (_, parts, session, problem) => {
    const { type = "cloud_vm" } = parts;
    const text = `${type}.web`;
    const run = start(
      { state: stateOf([recordedVm(text, parts)]), session },
      { address: text, allowed: ["power-cycle"] },
    );
    if (problem === undefined) {
      expect(await run.ended).toMatchObject({ kind: "ended" });
    } else expect((await failure(run)).problem).toBe(problem);
  });
});

describe("refused before anything is shown, locked or sent", () => {
  const tentative = { status: "tentative", tentativeUntilMs: 1 } as const;
  const several = stateOf([
    recordedVm('cloud_vm.web["a"]'),
    recordedVm('cloud_vm.web["b"]', { identity: "/api/vApp/vm-2" }),
    recordedVm("module.lab.cloud_vm.db", { identity: "/api/vApp/vm-3" }),
    recordedVm("daemon_vm.old", { type: "daemon_vm", identity: "old" }),
    recordedVm("cloud_vm.new", { identity: "/api/vApp/vm-4", ...tentative }),
  ]);
  test.each<[string, string | undefined, RegExp, RegExp | undefined]>([
    ["web", "reset", /"web" is not an address/, /Write it like/],
    ["data.cloud_vm.web", "reset", /is a data source/, undefined],
    ["cloud_vm.web", "reset", /has 2 instances: cloud_vm.web\["a"\], cloud_vm.web\["b"\]/, /one/],
    ["cloud_vm.dbb", "reset", /Nothing is recorded/, /Did you mean module.lab.cloud_vm.db\?/],
    [
      "cloud_vm.zzzzz",
      "reset",
      /Nothing is recorded/,
      /^There are: cloud_vm.new, cloud_vm.web,.* List what/,
    ],
    ["cloud_vm.new", "reset", /was never seen/, /vmform apply/],
    ["daemon_vm.old", "reset", /no actions for objects of type daemon_vm/, undefined],
    ['cloud_vm.web["a"]', "rest", /no action rest. There are: reset \(.*cancel-task/, /reset\?/],
    ['cloud_vm.web["a"]', undefined, /Which action\? There are: reset/, undefined],
  ])("%s %s", async (text, action, why, fix) => {
    const run = start({ state: several }, { address: text, action });
    const error = await failure(run);
    expect(error.message).toMatch(why);
    if (fix === undefined) expect(error.fix).toBeUndefined();
    else expect(error.fix).toMatch(fix);
    expect(run.trace).toEqual([]);
  });

  test("a state that was recorded against a simulator", async () => {
    const run = start({ state: { ...web, simulated: true } });
    await expect(run.ended).rejects.toMatchObject({ diagnostics: [{ code: "RUN003" }] });
    expect(run.trace).toEqual([]);
  });

  test("a vmform block with errors; errors elsewhere do not matter", async () => {
    const wrong = start({ state: web, files: { "main.vmform.yaml": "vmform: { stat: {} }" } });
    await expect(wrong.ended).rejects.toThrow(DiagnosticError);
    expect(wrong.trace).toEqual([]);
    const files = { "main.vmform.yaml": "resources: { cloud_vm.web: { nme: 1 } }" };
    const other = start({ state: web, files, session: silent });
    expect(await other.ended).toMatchObject({ kind: "ended" });
  });

  test.each([
    ["its own", openOn("cloud_vm.web#relocate.1", {})],
    [
      "of its content",
      openOn("cloud_snapshot.s#create.1", {
        order: { locks: [{ key: `cloud https://cloud.test ${vmPath}`, mode: "exclusive" }] },
      }),
    ],
    [
      "of the same machine through its host manager",
      openOn("manager_vm.m#nested.1", {
        order: { locks: [{ key: "virtual machine vm-5", mode: "exclusive" }] },
      }),
    ],
  ])("an operation that is open, %s; only its task can be cancelled", async (_name, open) => {
    const known = recordedVm("cloud_vm.web", {
      attributes: { name: "web", power_state: "on", moref: "vm-5" },
    });
    const state = { ...stateOf([known]), open: [open] };
    const error = await failure(start({ state }));
    expect(error.message).toContain(`The operation ${open.id} of an interrupted run is open`);
    const cancel = start({ state, session: silent }, { action: "cancel-task" });
    expect(await cancel.ended).toMatchObject({ ending: { status: "success" } });
  });

  test("a lock that another run holds", async () => {
    const run = start({ state: web, locked: true });
    await expect(run.ended).rejects.toThrow(StoreError);
    expect(run.trace).toEqual([]);
  });
});

describe("consent", () => {
  test.each<[string, Partial<ActionOptions>, string]>([
    ["a person who agrees consents", { review: () => Promise.resolve("agreed") }, "ended"],
    ["a person who declines", { review: () => Promise.resolve("declined") }, "declined"],
    ["approved without it", { review: () => Promise.resolve("approved") }, "CLI005"],
    [
      "approved with another",
      { review: () => Promise.resolve("approved"), allowed: ["power-off"] },
      "CLI005",
    ],
    [
      "approved with it",
      { review: () => Promise.resolve("approved"), allowed: ["power-off", "power-cycle"] },
      "ended",
    ],
    [
      "approved where nothing is disrupted",
      { review: () => Promise.resolve("approved"), action: "cancel-task" },
      "ended",
    ],
  ])("%s", async (_name, options, expected) => {
    const run = start({ state: web, session: silent }, options);
    const got = await run.ended.then(
      (result) => result.kind,
      (error: unknown) => (error instanceof CommandError ? error.problem : String(error)),
    );
    expect(got).toBe(expected === "CLI005" ? "consent" : expected);
    expect(run.steps.some(({ kind }) => kind === "started")).toBe(expected === "ended");
    expect(run.trace.filter((line) => line.startsWith("lock"))).toHaveLength(
      run.trace.filter((line) => line === "unlock").length,
    );
  });

  test("what is shown names the object, what is sent, and what it disrupts", async () => {
    const shown: unknown[] = [];
    await start({ state: web, session: silent }, { show: (order) => shown.push(order) }).ended;
    expect(shown).toMatchObject([
      {
        address: "cloud_vm.web",
        provider: "cloud",
        url: "https://cloud.test",
        identity: vmPath,
        name: "web",
        request: { method: "POST", path: `${vmPath}/power/action/reset` },
        action: { name: "reset", disrupts: ["power-cycle"] },
        wantedPower: "on",
        cancelable: true,
      },
    ]);
  });
});

describe("what an action would meet is read before anybody is asked", () => {
  const subject = { task: "/api/task/7" };
  const outlook: ProviderSession["outlook"] = (action, type, identity) =>
    Promise.resolve({
      remarks: [`${action} ${type} ${identity}`],
      disrupts: ["foreign-task"],
      subject,
    });
  const told: unknown[] = [];
  const acting: Partial<ProviderSession> = {
    outlook,
    act: (...words) => {
      told.push(words);
      return Promise.resolve({});
    },
  };

  test("it is shown, and exactly that is done", async () => {
    const shown: unknown[] = [];
    const show = (order: unknown): void => void shown.push(order);
    await start({ state: web, session: acting }, { show, action: "cancel-task" }).ended;
    expect(shown).toMatchObject([
      {
        remarks: [`cancel-task cloud_vm ${vmPath}`],
        action: { name: "cancel-task", disrupts: ["foreign-task"] },
      },
    ]);
    expect(told).toEqual([["cancel-task", "cloud_vm", vmPath, subject]]);
  });

  test.each<[readonly ["foreign-task"] | readonly [], string]>([
    [[], "consent"],
    [["foreign-task"], "ended"],
  ])("the task of somebody else needs a word of its own: allowed %j", async (allowed, expected) => {
    const review = () => Promise.resolve("approved" as const);
    const options = { review, allowed, action: "cancel-task" };
    const got = await start({ state: web, session: acting }, options).ended.then(
      (result) => result.kind,
      (error: unknown) => (error instanceof CommandError ? error.problem : String(error)),
    );
    expect(got).toBe(expected);
  });

  test("what is known to be refused is not asked about", async () => {
    const message = "VM web is off";
    const refused = new RemoteError({ kind: "precondition", effect: "none", message });
    const run = start({
      state: web,
      session: { ...acting, outlook: () => Promise.reject(refused) },
    });
    expect((await failure(run)).message).toBe("reset of cloud_vm.web: VM web is off.");
    expect(run.trace).toEqual(["lock action reset", opened, "close", "unlock"]);
  });

  test("what has not to be done is no error", async () => {
    const needless = "nothing is running";
    const session = { ...acting, outlook: () => Promise.resolve({ needless }) };
    const run = start({ state: web, session }, { action: "cancel-task" });
    const ending = { status: "needless", message: needless };
    expect(await run.ended).toMatchObject({ kind: "ended", ending });
    expect(run.trace).toEqual([opened, "close"]);
  });
});

describe("how it ends", () => {
  const success: TaskStatus = { status: "success" };
  const failed: TaskStatus = { status: "failed", message: "the task was canceled" };
  const vanished: TaskStatus = { status: "vanished" };
  test.each<[string, readonly TaskStatus[], object]>([
    ["reset", [success], { status: "success" }],
    ["reset", [running, { ...running, word: "odd" }, success], { status: "success" }],
    ["reset", [running, failed], { status: "failed", message: "the task was canceled" }],
    ["reset", [running, vanished], { status: "vanished" }],
    ["reset", [running], { status: "overdue", word: "running", limitMs: 900_000 }],
    ["cancel-task", [failed], { status: "success", message: "the task was canceled" }],
    ["cancel-task", [running, success], { status: "failed" }],
    ["cancel-task", [vanished], { status: "vanished" }],
    ["cancel-task", [running], { status: "overdue", word: "running" }],
  ])("%s, polled %j: %j", async (action, polls, ending) => {
    const trace: string[] = [];
    const run = start({ state: web, session: tasked(trace, ...polls) }, { action });
    expect(await run.ended).toMatchObject({ kind: "ended", ending });
    expect(trace.filter((line) => line.startsWith("act"))).toEqual([
      `act ${action} cloud_vm ${vmPath}`,
    ]);
    expect(new Set(trace.slice(1))).toEqual(new Set([`poll ${JSON.stringify(task)}`]));
  });

  test("progress is told when it changes", async () => {
    const further = { ...running, progress: 80 } as const;
    const polls = [running, running, further, success] as const;
    const run = start({ state: web, session: tasked([], ...polls) });
    await run.ended;
    expect(run.steps).toEqual([
      { kind: "started" },
      { kind: "progress", word: "running", progress: 40 },
      { kind: "progress", word: "running", progress: 80 },
    ]);
  });

  test("the lock is held from before the question until the end; a cancel takes none", async () => {
    const reset = start({ state: web, session: silent });
    await reset.ended;
    expect(reset.trace).toEqual(["lock action reset", opened, "show reset", "close", "unlock"]);
    const cancel = start({ state: web, session: silent, locked: true }, { action: "cancel-task" });
    await cancel.ended;
    expect(cancel.trace).toEqual([opened, "show cancel-task", "close"]);
  });

  test.each<[RemoteErrorDetail, RegExp]>([
    [{ kind: "busy", effect: "none", message: "VM is busy" }, /^Nothing was done. Repeat/],
    [{ kind: "precondition", effect: "none", message: "VM is off." }, /^Nothing was done. Bring/],
    [{ kind: "timeout", effect: "unknown", message: "no reply" }, /may have been done.*plan/],
  ])("%j is sent once and told", async (detail, fix) => {
    let acts = 0;
    const act = () => {
      acts += 1;
      return Promise.reject(new RemoteError(detail));
    };
    const run = start({ state: web, session: { act } });
    const error = await failure(run);
    expect(error.message).toBe(`reset of cloud_vm.web: ${detail.message.replace(/\.$/, "")}.`);
    expect(error.fix).toMatch(fix);
    expect(error.problem).toBe("action");
    expect(acts).toBe(1);
    expect(run.trace.slice(-2)).toEqual(["close", "unlock"]);
  });
});

describe("asked to stop", () => {
  test("while the question stands: nothing is sent, the lock is given back", async () => {
    const review = () => {
      run.interrupt();
      return new Promise<never>(() => {});
    };
    const run: Run = start({ state: web }, { review });
    await expect(run.ended).rejects.toThrow(InterruptedError);
    expect(run.trace).toEqual(["lock action reset", opened, "show reset", "close", "unlock"]);
  });

  test("between the answer and the request: nothing is sent", async () => {
    const run: Run = start(
      { state: web, session: { act: () => Promise.reject(new Error("sent")) } },
      { step: () => run.interrupt() },
    );
    await expect(run.ended).rejects.toThrow(InterruptedError);
    expect(run.trace.slice(-2)).toEqual(["close", "unlock"]);
  });

  test("before the reply: it is waited for, the task is not", async () => {
    const polls: string[] = [];
    const act = () => {
      run.interrupt();
      return Promise.resolve({ handle: task });
    };
    const session = { ...tasked(polls, running), act };
    const run: Run = start({ state: web, session });
    const ending = { status: "left", word: "running" };
    expect(await run.ended).toMatchObject({ ending });
    expect(run.steps).toContainEqual({ kind: "stopping" });
    expect(polls.length).toBeLessThanOrEqual(1);
  });

  test("while its task is followed: it is let go of, and never polled again", async () => {
    const trace: string[] = [];
    const run: Run = start(
      { state: web, session: tasked(trace, running) },
      { step: (_order, step) => step.kind === "progress" && run.interrupt() },
    );
    const ending = { status: "left", word: "running", progress: 40 };
    expect(await run.ended).toMatchObject({ kind: "ended", ending });
    expect(run.trace.slice(-2)).toEqual(["close", "unlock"]);
    const before = trace.length;
    await run.clock.advance(3_600_000);
    expect(trace).toHaveLength(before);
  });
});
