/** Wiping and shrinking over real HTTP: the object browser begins, SOAP tells how it went on. */

import { afterEach, describe, expect, test } from "vitest";
import type { BeginEntry } from "../../../../../src/model/recorded/begin-entry.ts";
import type { Address } from "../../../../../src/model/value/address.ts";
import type { Value } from "../../../../../src/model/value/value.ts";
import { type Parts, withParts } from "../../../../helpers/parts.ts";
import { beginEntry } from "../../../../helpers/recorded-builder.ts";
import { formPage, html, nonce, resultPage, taskResult, withCookie } from "../browser-server.ts";
import { disk, operation, type TestTask, taskObject, vmObject } from "../machines.ts";
import {
  answer,
  fault,
  type ManagerScript,
  type ScriptedManager,
  startManager,
  type TestObject,
} from "../scripted-manager.ts";

const type = "manager_disk_reclaim";
const forever = Number.MAX_SAFE_INTEGER;
const sparse = (key: number): string =>
  disk({ key, backing: "VirtualDiskSeSparseBackingInfo", more: "<grainSize>4</grainSize>" });

let open: ScriptedManager | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

type Script = ManagerScript & { readonly form?: string };

async function start({
  form = resultPage(taskResult),
  ...script
}: Script): Promise<ScriptedManager> {
  open = await startManager({
    ...script,
    handle: (call, count) => {
      const own = script.handle?.(call, count);
      if (own !== undefined) return own;
      if (call.method.startsWith("GET /mob/?")) return withCookie(formPage);
      if (call.method.startsWith("POST /mob/")) return html(form);
      if (call.method === "GET /mob/logout") return html("bye");
      if (call.method === "RefreshStorageInfo") return answer(call.method);
      return undefined;
    },
  });
  return open;
}

/** Sizes of the two files of each disk by its key, as `layoutEx` lists them. */
function layout(sizes: { readonly [key: string]: readonly (number | bigint)[] }): string {
  const files: string[] = [];
  const disks: string[] = [];
  let key = 0;
  for (const [id, parts] of Object.entries(sizes)) {
    const chain = parts.map((size) => {
      key += 1;
      files.push(
        `<file><key>${key}</key><name>[ssd-01] web/${key}.vmdk</name><type>diskExtent</type>` +
          `<size>${size}</size></file>`,
      );
      return `<chain><fileKey>${key}</fileKey></chain>`;
    });
    disks.push(`<disk><key>${id}</key>${chain.join("")}</disk>`);
  }
  return `<val xsi:type="VirtualMachineFileLayoutEx">${files.join("")}${disks.join("")}</val>`;
}

function vm(layoutXml?: string, devices = [sparse(2000), disk({ key: 2001 })]): TestObject {
  const object = vmObject({ id: "vm-12", name: "web", power: "poweredOn", devices });
  if (layoutXml === undefined) return object;
  return { ...object, values: { ...object.values, layoutEx: layoutXml } };
}

const ended = "<completeTime>2026-01-02T03:30:00.25Z</completeTime>";

function task(changes: Partial<TestTask> = {}): TestObject {
  return taskObject({ id: "task-123", state: "success", more: ended, entity: "vm-12", ...changes });
}

function wipeResult(sizes: { readonly [id: string]: number | bigint }): string {
  const items = Object.entries(sizes).map(
    ([id, kilobytes]) =>
      `<VirtualMachineWipeResult><diskId>${id}</diskId>` +
      `<shrinkableDiskSpace>${kilobytes}</shrinkableDiskSpace></VirtualMachineWipeResult>`,
  );
  return `<result xsi:type="ArrayOfVirtualMachineWipeResult">${items.join("")}</result>`;
}

const browsing = (method: string): readonly string[] => [
  `GET /mob/?moid=vm-12&method=${method} `,
  `POST /mob/?moid=vm-12&method=${method} `,
  "GET /mob/logout ",
];

describe("sending", () => {
  test("a wipe: the browser alone, and a handle that says what it is", async () => {
    const manager = await start({ objects: [vm()] });
    const sent = await manager.session.send(operation(type, "wipe", "vm-12/reclaim"), forever);
    expect(sent).toEqual({
      handle: { task: "task-123", reclaim: "wipe", identity: "vm-12/reclaim" },
    });
    expect(manager.calls()).toEqual(browsing("wipeDisk"));
    const post = manager.server.seen.find(({ method, url }) => method === "POST" && url !== "/sdk");
    expect(post?.body).toBe(new URLSearchParams({ "vmware-session-nonce": nonce }).toString());
  });

  test("a shrink: the sparse disks are measured first", async () => {
    const big = 2n ** 53n + 1n;
    const manager = await start({ objects: [vm(layout({ 2000: [100, big], 2001: [7] }))] });
    const sent = await manager.session.send(
      operation(type, "shrink", "vm-12/reclaim/2000"),
      forever,
    );
    expect(sent.handle).toEqual({
      task: "task-123",
      reclaim: "shrink",
      identity: "vm-12/reclaim/2000",
      before: { 2000: big + 100n },
    });
    expect(manager.calls()).toEqual([
      "RefreshStorageInfo vm-12",
      "RetrievePropertiesEx propertyCollector",
      ...browsing("shrinkDisk"),
    ]);
    const post = manager.server.seen.find(({ method, url }) => method === "POST" && url !== "/sdk");
    expect(new URLSearchParams(post?.body).get("diskId")).toBe("2000");
    expect(manager.ports.sent.filter((request) => request.class === "mutate")).toHaveLength(1);
  });

  test.each([
    ["shows no layout", {}],
    [
      "cannot bring it up to date",
      { handle: refuse("RefreshStorageInfo", fault("NoPermission", "no")) },
    ],
    ["breaks off", { handle: refuse("RefreshStorageInfo", "reset") }],
  ] as const)("a server that %s: nothing is measured, and it is shrunk", async (what, script) => {
    const sizes = what === "shows no layout" ? undefined : layout({ 2000: [100] });
    const manager = await start({ objects: [vm(sizes)], ...script });
    const sent = await manager.session.send(operation(type, "shrink", "vm-12/reclaim"), forever);
    expect(sent.handle).not.toHaveProperty("before");
    expect(manager.calls()).toEqual(expect.arrayContaining([...browsing("shrinkDisk")]));
  });

  test("a server too old to be asked is up to date", async () => {
    const manager = await start({
      objects: [vm(layout({ 2000: [100] }))],
      handle: refuse("RefreshStorageInfo", fault("MethodNotFound", "no such method")),
    });
    const sent = await manager.session.send(operation(type, "shrink", "vm-12/reclaim"), forever);
    expect(sent.handle).toMatchObject({ before: { 2000: 100 } });
  });

  test("a fault of the page is an error of its kind", async () => {
    const rows = "<table><tr><td>faultCause</td><td>MethodFault</td><td>Unset</td></tr></table>";
    const manager = await start({ objects: [vm()], form: resultPage(`TaskInProgress${rows}`) });
    const sending = manager.session.send(operation(type, "wipe", "vm-12/reclaim"), forever);
    await expect(sending).rejects.toMatchObject({ kind: "busy", effect: "none" });
  });
});

/** A table as a page shows a fault; `fields` are name, type and value of its own rows. */
function faultPage(name: string, ...fields: (readonly [string, string, string])[]): string {
  const rows = [["faultCause", "MethodFault", "Unset"], ...fields].map(
    (row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`,
  );
  const table = `<table>${rows.join("")}</table>`;
  return name === ""
    ? formPage.replace("</body>", `${table}</body>`)
    : resultPage(`${name}${table}`);
}

describe("a fault in place of a task", () => {
  const nameless = faultPage("");
  /** Queued when the form was answered, by the clock of the scripted server. */
  const own = { description: "VirtualMachine.wipeDisk", queued: "2026-01-02T03:04:05.600Z" };
  const old = { ...own, queued: "2026-01-02T03:03:00Z" };
  const send = async (form: string, tasks: readonly TestTask[], verb = "wipe") => {
    const listed = vmObject({ id: "vm-12", tasks: tasks.map(({ id }) => id) });
    const objects = [listed, taskManager([]), ...tasks.map((each) => task(each))];
    const manager = await start({ objects, form });
    const sending = manager.session.send(operation(type, verb, "vm-12/reclaim"), forever);
    const error = await sending.then(
      () => undefined,
      (failure: unknown) => failure,
    );
    return { manager, error };
  };

  test.each([
    ["without a type", nameless],
    ["that leaves open what was done", faultPage("SystemError", ["reason", "string", '"?"'])],
    ["of a host that is out of touch", faultPage("HostCommunication")],
  ])("%s: nothing was begun when no task is listed by now", async (_what, form) => {
    const { error, manager } = await send(form, [{ id: "task-1", ...old }]);
    expect(error).toMatchObject({ effect: "none" });
    expect(manager.calls().filter((call) => call.startsWith("POST /mob/"))).toHaveLength(1);
  });

  test("without a type: a task that is listed may be it", async () => {
    const { error } = await send(nameless, [{ id: "task-1", ...own }]);
    expect(error).toMatchObject({ kind: "protocol", effect: "unknown" });
  });

  test("without a type: nobody knows where the tasks may not be read", async () => {
    const manager = await start({
      objects: [vm()],
      form: nameless,
      handle: refuse("RetrievePropertiesEx", fault("NoPermission", "no")),
    });
    const sending = manager.session.send(operation(type, "wipe", "vm-12/reclaim"), forever);
    await expect(sending).rejects.toMatchObject({ effect: "unknown" });
  });

  test("of a disk that refuses to be shrunk: the wipe does not count any more", async () => {
    const form = faultPage("ShrinkDiskFault", ["diskId", "int", "2000"]);
    const { error } = await send(form, [], "shrink");
    expect(error).toMatchObject({
      effect: "none",
      attributes: { wiped_at: null },
      message: expect.stringMatching(/ShrinkDiskFault.*2000.*next run wipes again$/) as string,
    });
  });

  test.each([
    ["TaskInProgress", "shrink"],
    ["NoPermission", "shrink"],
    ["ShrinkDiskFault", "wipe"],
  ])("%s of a %s says nothing of the wipe", async (name, verb) => {
    const { error } = await send(faultPage(name), [], verb);
    expect(error).toMatchObject({ effect: "none", attributes: undefined });
  });
});

function refuse(method: string, reply: ReturnType<typeof fault> | "reset") {
  return (call: { readonly method: string }) => (call.method === method ? reply : undefined);
}

describe("reading", () => {
  const wanted = { address: "manager_disk_reclaim.r" as Address, type, attributes: [] };
  test("tells the UUID of the VM, asked once for all that have one recorded", async () => {
    const manager = await start({ objects: [vm()] });
    const recorded = { vm_instance_uuid: "50ab" };
    const read = await manager.session.read([
      { ...wanted, identity: "vm-12/reclaim", recorded },
      { ...wanted, identity: "vm-12/reclaim/2000", recorded },
      { ...wanted, identity: "vm-99/reclaim" },
    ]);
    const byRule = { status: "unreadable", rule: "by rule" };
    const uuid = expect.any(String) as string;
    expect(read).toMatchObject([
      { ...byRule, knownBy: { vm_instance_uuid: uuid } },
      { ...byRule, knownBy: { vm_instance_uuid: uuid } },
      byRule,
    ]);
    expect(read[2]).not.toHaveProperty("knownBy");
    expect(manager.calls()).toEqual(["RetrievePropertiesEx propertyCollector"]);
  });

  test("asks nothing where no UUID is recorded", async () => {
    const manager = await start({ objects: [vm()] });
    await manager.session.read([{ ...wanted, identity: "vm-12/reclaim", recorded: {} }]);
    expect(manager.calls()).toEqual([]);
  });
});

describe("polling", () => {
  const wipe = { task: "task-123", reclaim: "wipe", identity: "vm-12/reclaim" };
  const shrink = { task: "task-123", reclaim: "shrink", identity: "vm-12/reclaim" };

  test("a wipe tells what can be given back, exactly", async () => {
    const more = ended + wipeResult({ 2000: 1_572_864, 2001: 0, 2002: 2n ** 60n });
    const manager = await start({ objects: [vm(), task({ more })] });
    expect(await manager.session.poll?.(wipe)).toEqual({
      status: "success",
      attributes: {
        wiped_at: "2026-01-02T03:30:00.250Z",
        pending: true,
        shrinkable_bytes: { 2000: 1_610_612_736, 2001: 0, 2002: 2n ** 70n },
      },
      message:
        "can be given back: disk 2000: 1610612736 bytes (1.5 GB), disk 2001: 0 bytes, " +
        "disk 2002: 1180591620717411303424 bytes (1073741824 TB)",
    });
  });

  test.each<[string, { readonly [disk: string]: number }, boolean]>([
    ["nothing of any disk", { 2000: 0, 2001: 0 }, false],
    ["something of one", { 2000: 0, 2001: 1 }, true],
    ["of no disk at all, which says nothing", {}, true],
  ])("a wipe that finds %s leaves a shrink pending: %j → %s", async (_, sizes, pending) => {
    const manager = await start({ objects: [vm(), task({ more: ended + wipeResult(sizes) })] });
    expect(await manager.session.poll?.(wipe)).toMatchObject({ attributes: { pending } });
  });

  test("a wipe that tells nothing, by a server that says not when", async () => {
    const manager = await start({ objects: [task({ more: "" })] });
    expect(await manager.session.poll?.(wipe)).toMatchObject({
      attributes: { wiped_at: "2026-01-02T03:04:05.678Z", shrinkable_bytes: {} },
      message: "the host manager does not tell how much can be given back",
    });
  });

  test("a shrink is what the files lost meanwhile; nothing is said as nothing", async () => {
    const devices = [sparse(2000), sparse(2001), sparse(2002)];
    const now = layout({ 2000: [1000, 24], 2001: [500], 2002: [70] });
    const manager = await start({ objects: [vm(now, devices), task()] });
    const before = { 2000: 4096, 2001: 500, 2002: 60, 2003: 9 };
    expect(await manager.session.poll?.({ ...shrink, before })).toEqual({
      status: "success",
      attributes: {
        shrunk_at: "2026-01-02T03:30:00.250Z",
        pending: false,
        reclaimed_bytes: { 2000: 3072, 2001: 0, 2002: 0 },
      },
      message:
        "disk 2000: 3072 bytes (3 KB) reclaimed, disk 2001: 0 bytes reclaimed, " +
        "disk 2002: 0 bytes reclaimed",
    });
  });

  test("a shrink of one disk tells of that one", async () => {
    const now = layout({ 2000: [10], 2001: [10] });
    const manager = await start({
      objects: [vm(now, [sparse(2000), sparse(2001)]), task()],
    });
    const handle = { ...shrink, identity: "vm-12/reclaim/2001", before: { 2000: 20, 2001: 11 } };
    expect(await manager.session.poll?.(handle)).toMatchObject({
      attributes: { reclaimed_bytes: { 2001: 1 } },
      message: "disk 2001: 1 bytes reclaimed",
    });
  });

  test.each([
    ["what the task tells", ended + wipeResult({ 2000: 1 }), { 2000: 1024 }, "1024 bytes"],
    ["nobody", ended, {}, "is not known"],
  ])("without a measure of before, %s tells", async (_what, more, reclaimed, words) => {
    const manager = await start({ objects: [vm(layout({ 2000: [1] })), task({ more })] });
    const status = await manager.session.poll?.(shrink);
    expect(status).toMatchObject({ attributes: { reclaimed_bytes: reclaimed, pending: false } });
    expect(JSON.stringify(status)).toContain(words);
    expect(manager.calls()).toEqual(["RetrievePropertiesEx propertyCollector"]);
  });

  test("a task that goes on, that failed, that nobody remembers", async () => {
    const running = await start({
      objects: [task({ state: "running", more: "<progress>40</progress>" })],
    });
    expect(await running.session.poll?.(wipe)).toEqual({
      status: "running",
      word: "running",
      progress: 40,
    });
    await running.close();
    const error =
      '<error><fault xsi:type="WipeDiskFault"/>' +
      "<localizedMessage>no tools</localizedMessage></error>";
    const failed = await start({ objects: [task({ state: "error", more: error })] });
    expect(await failed.session.poll?.(wipe)).toMatchObject({
      status: "failed",
      message: expect.stringContaining("WipeDiskFault: no tools") as string,
    });
    expect(await failed.session.poll?.(wipe)).not.toHaveProperty("attributes");
    await failed.close();
    const gone = await start({ objects: [] });
    expect(await gone.session.poll?.(wipe)).toMatchObject({ status: "failed" });
    expect(await gone.session.poll?.({ task: "task-123" })).toEqual({ status: "vanished" });
  });
});

test.each([
  ["ShrinkDiskFault", { wiped_at: null }],
  ["FileLocked", undefined],
])("a task of a shrink that ends with %s", async (name, attributes) => {
  const more = `<error><fault xsi:type="${name}"/><localizedMessage>no</localizedMessage></error>`;
  const manager = await start({ objects: [task({ state: "error", more })] });
  const handle = { task: "task-123", reclaim: "shrink", identity: "vm-12/reclaim" };
  const status = await manager.session.poll?.(handle);
  expect(status).toMatchObject({ status: "failed" });
  expect(status && "attributes" in status ? status.attributes : undefined).toEqual(attributes);
});

function begin(verb: string, changes: Parts<BeginEntry> = {}): BeginEntry {
  const base = beginEntry({
    verb,
    subject: operation(type, verb, "vm-12/reclaim").subject,
    effect: { kind: "update" },
    repeat: "unsafe",
    proof: { unobservable: true },
    serverTimeMs: Date.parse("2026-01-02T03:04:06Z"),
  });
  return withParts(base, changes);
}

describe("finding the task of a request whose reply never came", () => {
  const tasks = [
    task({ id: "task-1", description: "VirtualMachine.wipeDisk", queued: "2026-01-02T03:04:05Z" }),
    task({ id: "task-2", description: "VirtualMachine.shrinkDisk" }),
    task({ id: "task-3", description: "WipeDisk_Task", user: "DOMAIN\\other" }),
    task({ id: "task-4", description: "WipeDisk_Task" }),
    task({
      id: "task-5",
      description: "vim.VirtualMachine.wipeDisk",
      queued: "2026-01-02T09:00:00Z",
    }),
  ];
  const ids = ["task-1", "task-2", "task-3", "task-4", "task-5"];
  const machine = vmObject({ id: "vm-12", tasks: ids });

  test.each([
    ["wipe", {}, "task-4"],
    ["shrink", {}, "task-2"],
    ["wipe", { earlierTasks: [{ task: "task-4" }] satisfies Value[] }, "task-5"],
  ])("of %s, with %j", async (verb, changes, id) => {
    const manager = await start({ objects: [machine, ...tasks] });
    expect(await manager.session.findTask?.(begin(verb, changes))).toEqual({
      task: id,
      reclaim: verb,
      identity: "vm-12/reclaim",
    });
  });

  test("none", async () => {
    const manager = await start({ objects: [vmObject({ id: "vm-12" }), taskManager([])] });
    expect(await manager.session.findTask?.(begin("wipe"))).toBeUndefined();
  });
});

function taskManager(tasks: readonly string[]): TestObject {
  const all = tasks.map(
    (id) => `<ManagedObjectReference type="Task">${id}</ManagedObjectReference>`,
  );
  return {
    type: "TaskManager",
    id: "TaskManager",
    values: { recentTask: `<val xsi:type="ArrayOfManagedObjectReference">${all.join("")}</val>` },
  };
}
