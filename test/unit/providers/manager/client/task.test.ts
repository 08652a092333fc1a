/** Remote tasks: following, cancelling, and finding that of an interrupted request. */

import { afterEach, describe, expect, test } from "vitest";
import type { BeginEntry } from "../../../../../src/model/recorded/begin-entry.ts";
import { type Parts, withParts } from "../../../../helpers/parts.ts";
import { beginEntry } from "../../../../helpers/recorded-builder.ts";
import { failure, operation, startWorld, type TestTask, type World } from "../machines.ts";
import { answer, type ManagerScript, type ScriptedManager } from "../scripted-manager.ts";

let open: ScriptedManager | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(world: World, script: ManagerScript = {}): Promise<ScriptedManager> {
  open = await startWorld(world, script);
  return open;
}

describe("following a task", () => {
  const cancelled =
    '<error><fault xsi:type="RequestCanceled"/><localizedMessage>Cancelled.</localizedMessage></error>';
  const failed =
    '<error><fault xsi:type="InvalidPowerState"><requestedState>poweredOn</requestedState></fault>' +
    "<localizedMessage>Not now.</localizedMessage></error>";
  test.each([
    [{ state: "success" }, { status: "success" }],
    [{ state: "queued" }, { status: "running", word: "queued" }],
    [
      { state: "running", more: "<progress>40</progress>" },
      { status: "running", word: "running", progress: 40 },
    ],
    [
      { state: "running", more: "<progress>400</progress>" },
      { status: "running", word: "running" },
    ],
    [{ state: "pondering" }, { status: "running", word: "pondering" }],
    [{ state: "" }, { status: "running", word: "a task without state" }],
    [
      { state: "error", more: failed },
      {
        status: "failed",
        message:
          "the remote task VirtualMachine.reconfigure failed: InvalidPowerState: Not now. " +
          "(requestedState poweredOn)",
      },
    ],
    [
      { state: "error", more: cancelled },
      {
        status: "failed",
        message:
          "the remote task VirtualMachine.reconfigure was cancelled: RequestCanceled: Cancelled",
      },
    ],
    [
      { state: "error", more: "<cancelled>true</cancelled>" },
      { status: "failed", message: "the remote task VirtualMachine.reconfigure was cancelled" },
    ],
  ])("%j", async (task, status) => {
    const manager = await start({ tasks: [{ id: "task-7", ...task }] });
    expect(await manager.session.poll?.({ task: "task-7" })).toEqual(status);
  });

  test("one that the server has forgotten has vanished", async () => {
    const manager = await start({});
    expect(await manager.session.poll?.({ task: "task-7" })).toEqual({ status: "vanished" });
  });

  test("one that the server says nothing of has not", async () => {
    const manager = await start(
      { tasks: [{ id: "task-7" }] },
      {
        handle: ({ method }) =>
          method === "RetrievePropertiesEx" ? answer(method, "<returnval/>") : undefined,
      },
    );
    const error = await failure(manager.session.poll?.({ task: "task-7" }));
    expect(error).toMatchObject({ kind: "protocol", effect: "none" });
    expect(error.message).toContain("does not tell how far task task-7 is");
  });

  test("one that may not be read has not", async () => {
    const object = { type: "Task", id: "task-7", values: {}, refused: { info: "NoPermission" } };
    const manager = await start({}, { objects: [object] });
    const error = await failure(manager.session.poll?.({ task: "task-7" }));
    expect(error.kind).toBe("forbidden");
    expect(error.message).toContain("NoPermission");
  });

  test("what is no handle is an error", async () => {
    const manager = await start({});
    expect((await failure(manager.session.poll?.({ vm: "vm-1" }))).kind).toBe("protocol");
  });
});

describe("cancelling", () => {
  const more = "<cancelable>true</cancelable>";
  const script: ManagerScript = {
    handle: ({ method }) => (method === "CancelTask" ? answer(method) : undefined),
  };

  test("is asked of the server, which may go on", async () => {
    const manager = await start({ tasks: [{ id: "task-7", more }] }, script);
    await manager.session.cancel?.({ task: "task-7" });
    expect(manager.calls().at(-1)).toBe("CancelTask task-7");
  });

  test.each([
    ["has ended", [{ id: "task-7", state: "success", more }]],
    ["is gone", []],
  ])("a task that %s needs none", async (_what, tasks) => {
    const manager = await start({ tasks }, script);
    await manager.session.cancel?.({ task: "task-7" });
    expect(manager.bodies("CancelTask")).toEqual([]);
  });

  test("a task that cannot be is told", async () => {
    const manager = await start({ tasks: [{ id: "task-7" }] }, script);
    const error = await failure(manager.session.cancel?.({ task: "task-7" }));
    expect(error).toMatchObject({ kind: "precondition", effect: "none" });
    expect(manager.bodies("CancelTask")).toEqual([]);
  });

  test("as an action: the one task that runs on the VM", async () => {
    const tasks = [
      { id: "task-6", state: "success" },
      { id: "task-7", more },
    ];
    const manager = await start({ vm: { tasks: ["task-6", "task-7"] }, tasks }, script);
    const outlook = await manager.session.outlook?.("cancel-task", "manager_vm", "vm-1");
    expect(outlook).toMatchObject({ subject: { task: "task-7" } });
    const { session } = manager;
    expect(
      await session.act?.("cancel-task", "manager_vm", "vm-1", outlook?.subject ?? null),
    ).toEqual({ handle: { task: "task-7" } });
  });

  test.each<[Partial<TestTask>, readonly string[] | undefined]>([
    [{}, undefined],
    [{ user: "LAB.LOCAL\\eve" }, ["foreign-task"]],
    [{ reason: '<reason xsi:type="TaskReasonSchedule"/>' }, ["foreign-task"]],
  ])("as an action, the task %j of somebody else needs a word", async (task, disrupts) => {
    const tasks = [{ id: "task-7", more, ...task }];
    const manager = await start({ vm: { tasks: ["task-7"] }, tasks }, script);
    const outlook = await manager.session.outlook?.("cancel-task", "manager_vm", "vm-1");
    expect(outlook?.disrupts).toEqual(disrupts);
  });

  test("as an action, with nothing running: there is nothing to do", async () => {
    const manager = await start({ vm: { tasks: [] }, tasks: [] }, script);
    const outlook = await manager.session.outlook?.("cancel-task", "manager_vm", "vm-1");
    expect(outlook?.needless).toMatch(/nothing is running on VM vm-1/);
  });

  test("as an action, with two running: none is chosen", async () => {
    const tasks = [{ id: "task-6" }, { id: "task-7" }];
    const manager = await start({ vm: { tasks: ["task-6", "task-7"] }, tasks }, script);
    const error = await failure(manager.session.outlook?.("cancel-task", "manager_vm", "vm-1"));
    expect(error.message).toMatch(/several tasks run on VM vm-1/);
  });
});

describe("finding the task of an interrupted request", () => {
  const beginMs = Date.parse("2026-01-02T03:04:05.678Z");
  const begin = (changes: Parts<BeginEntry> = {}): BeginEntry => {
    const { verb, subject } = operation("manager_vm", "nested", "vm-1");
    return withParts(beginEntry({ verb, subject, atMs: beginMs, serverTimeMs: beginMs }), changes);
  };
  const grow = { verb: "grow", subject: { type: "manager_disk", identity: "vm-1/2000" } };
  const own = { id: "task-7" };
  const find = async (
    tasks: readonly TestTask[],
    entry: BeginEntry,
    listed?: readonly string[],
  ) => {
    const ids = tasks.map(({ id }) => id);
    const world = listed === undefined ? { vm: { tasks: ids }, tasks } : { tasks, listed };
    const manager = await start(world);
    return manager.session.findTask?.(entry);
  };

  test.each([
    ["by the server's method", own, {}],
    ["by its whole name", { ...own, description: "VirtualMachine.reconfigVM_Task" }, {}],
    ["of a disk", own, grow],
    ["that has failed", { ...own, state: "error" }, {}],
    ["that was queued in that second", { ...own, queued: "2026-01-02T03:04:05Z" }, {}],
    ["in another zone", { ...own, queued: "2026-01-02T05:04:05.7+02:00" }, {}],
    ["without a clock", { ...own, queued: "2026-01-02T02:55:00Z" }, { serverTimeMs: undefined }],
    [
      "of the words of a move",
      { ...own, description: "VirtualMachine.relocate" },
      { verb: "relocate" },
    ],
  ] as const)("one %s is ours", async (_what, task, changes) => {
    const { serverTimeMs: _time, ...timeless } = begin();
    const entry = "serverTimeMs" in changes ? timeless : begin(changes);
    expect(await find([task], entry)).toEqual({ task: "task-7" });
  });

  test.each([
    ["of before", { ...own, queued: "2026-01-02T03:04:05.600Z" }],
    ["of the second before", { ...own, queued: "2026-01-02T03:04:04Z" }],
    ["of another kind", { ...own, description: "VirtualMachine.powerOn" }],
    ["of somebody else", { ...own, user: "d\\bob" }],
    [
      "of a schedule",
      { ...own, reason: '<reason xsi:type="TaskReasonSchedule"><name>n</name></reason>' },
    ],
    ["on another VM", { ...own, entity: "vm-2" }],
  ])("one %s is not", async (_what, task) => {
    expect(await find([task], begin())).toBeUndefined();
  });

  test("of several the first is", async () => {
    const tasks = [
      { id: "task-9", queued: "2026-01-02T03:04:08.5Z" },
      { id: "task-7", queued: "2026-01-02T03:04:06.5Z" },
    ];
    expect(await find(tasks, begin())).toEqual({ task: "task-7" });
  });

  test("what the VM does not list any more, the server may", async () => {
    expect(await find([own], begin(), ["task-7"])).toEqual({ task: "task-7" });
  });

  test.each([
    ["the VM, which is left out", "<returnval/>", undefined],
    ["the VM, which may not be read", undefined, "NoPermission"],
  ])("none is known of where the tasks of %s, are not told", async (_, blank, refused) => {
    const vm = refused === undefined ? {} : { refused: { recentTask: refused } };
    const manager = await start(
      { vm },
      {
        handle: ({ method }) =>
          method === "RetrievePropertiesEx" && blank !== undefined
            ? answer(method, blank)
            : undefined,
      },
    );
    const error = await failure(manager.session.findTask?.(begin()));
    expect(error.message).toContain("does not tell the tasks of vm-1");
  });

  test("a shutdown has none, and is not asked about", async () => {
    const manager = await start({});
    expect(await manager.session.findTask?.(begin({ verb: "shutdown" }))).toBeUndefined();
    expect(manager.calls()).toEqual([]);
  });
});
