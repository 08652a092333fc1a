import { afterEach, expect, test } from "vitest";
import type { RemoteError } from "../../../../../src/model/operation/remote-error.ts";
import { readTicket } from "../../../../../src/providers/cloud/work/ticket.ts";
import { withParts } from "../../../../helpers/parts.ts";
import {
  type CloudSession,
  type Inventory,
  operation,
  startInventory,
  type TestVm,
  taskXml,
  vmPath,
  xml,
} from "../cloud-inventory.ts";
import {
  type Answered,
  type CloudScript,
  errorXml,
  neutralWords,
  vendorWords,
} from "../scripted-cloud.ts";

const words = neutralWords;
const vm = vmPath("a");
const forever = Number.MAX_SAFE_INTEGER;
const powerOn = `POST ${vm}/power/action/powerOn`;

let open: CloudSession | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(inventory: Inventory, script: CloudScript = {}): Promise<CloudSession> {
  open = await startInventory(inventory, script);
  return open;
}

async function failure(work: Promise<unknown> | undefined): Promise<RemoteError> {
  try {
    await work;
  } catch (error) {
    return error as RemoteError;
  }
  throw new Error("it succeeded");
}

const task = (status = "running") => xml(words, taskXml(words, { id: "t", status }));
const refusal = (minor: string, message: string): Answered => ({
  ...xml(words, errorXml(words, 400, minor, message)),
  status: 400,
});

test.each([
  ["a running task", { ...task(), status: 202 }, { handle: { task: "/api/task/t" } }],
  [
    "a task that has ended",
    { ...task("success"), status: 202 },
    { handle: { task: "/api/task/t" } },
  ],
  [
    "its place alone",
    { status: 202, headers: { location: "https://other:8/base/api/task/u" } },
    { handle: { task: "/api/task/u" } },
  ],
  ["nothing, as old servers do", { status: 204 }, {}],
] as const)("a reply with %s", async (_, answer, result) => {
  const { session, asked } = await start({ answers: { [powerOn]: answer } });
  expect(await session.send(operation("power-on", vm), forever)).toEqual(result);
  expect(asked()).toEqual([powerOn]);
});

test.each([
  ["accepts and names no task", { status: 202 }],
  ["answers a page", { headers: { "content-type": "text/html" }, body: "<html>x</html>" }],
  ["answers half a task", { status: 202, body: "<Task" }],
  ["answers another document", xml(words, `<Vm xmlns="${words.namespace}"/>`)],
  ["breaks off", "reset"],
  ["fails in its own words", { ...xml(words, errorXml(words, 500, "X", "no")), status: 500 }],
] as const)("a server that %s may have acted", async (_, answer) => {
  const { session, asked } = await start({ answers: { [powerOn]: answer } });
  const error = await failure(session.send(operation("power-on", vm), forever));
  expect(error.effect).toBe("unknown");
  expect(asked()).toEqual([powerOn]);
});

test.each([neutralWords, vendorWords])("moving in $cookie's words", async (spoken) => {
  const posted = `POST ${vm}/action/relocate`;
  const reply = { ...xml(spoken, taskXml(spoken, { id: "t" })), status: 202 };
  const session = await start({ answers: { [posted]: reply } }, { words: spoken });
  const href = "https://inner/api/admin/extension/datastore/607";
  const inputs = { datastore: { name: "ssd", href } };
  await session.session.send(operation("relocate", vm, inputs), forever);
  expect(session.bodies()).toEqual([
    `<RelocateParams xmlns="${spoken.namespace}"><Datastore href="${href}"/></RelocateParams>`,
  ]);
  const sent = session.cloud.server.seen.find(({ url }) => url.endsWith("/action/relocate"));
  expect(sent?.headers["content-type"]).toBe(`${spoken.media}relocateVmParams+xml`);
});

test("an empty body has no media type", async () => {
  const { session, cloud } = await start({ answers: { [powerOn]: { ...task(), status: 202 } } });
  await session.send(operation("power-on", vm), forever);
  const sent = cloud.server.seen.find(({ url }) => url.endsWith("/powerOn"));
  expect(sent?.headers["content-type"]).toBeUndefined();
  expect(sent?.headers["content-length"]).toBe("0");
});

const relocating = taskXml(words, { id: "9", user: "eve", inside: "<Progress>40</Progress>" });
const busy = refusal("BUSY_ENTITY", "The entity a is busy completing an operation.");
const busyVm: TestVm = { id: "a", inside: `<Tasks>${relocating}</Tasks>` };
const vapp = `<VApp xmlns="${words.namespace}"><Tasks>${relocating}</Tasks></VApp>`;
const neighbour =
  `<VApp xmlns="${words.namespace}"><Children><Vm name="a"/>` +
  `<Vm name="b"><Tasks>${relocating}</Tasks></Vm></Children></VApp>`;
test.each<[string, Inventory]>([
  ["on the VM", { vms: [busyVm] }],
  ["on its vApp", { vms: [{ id: "a" }], answers: { "GET /api/vApp/vapp-web": { body: vapp } } }],
  [
    "on another VM of its vApp",
    { vms: [{ id: "a" }], answers: { "GET /api/vApp/vapp-web": { body: neighbour } } },
  ],
])("busy names what runs %s", async (_, inventory) => {
  const answers = { ...inventory.answers, [powerOn]: busy };
  const { session } = await start({ ...inventory, answers });
  const error = await failure(session.send(operation("power-on", vm), forever));
  expect(error).toMatchObject({ kind: "busy", effect: "none" });
  expect(error.message).toContain("is busy completing an operation");
  expect(error.message).toContain("running now: Doing vappRelocateVm, by eve, 40 %");
});

test("busy stays busy when nobody can be named", async () => {
  const { session } = await start({ answers: { [powerOn]: busy } });
  const error = await failure(session.send(operation("power-on", vm), forever));
  expect(error).toMatchObject({ kind: "busy", effect: "none" });
  expect(error.message).not.toContain("running now");
});

test.each([
  ["BAD_REQUEST", 'since VM "a" is not powered on.', "precondition"],
  ["ACCESS_TO_RESOURCE_IS_FORBIDDEN", "No access to entity", "forbidden"],
])("%s with %j is %s and did nothing", async (minor, message, kind) => {
  const { session } = await start({ answers: { [powerOn]: refusal(minor, message) } });
  const error = await failure(session.send(operation("power-on", vm), forever));
  expect(error).toMatchObject({ kind, effect: "none" });
});

test.each([
  ["reset", "power/action/reset"],
  ["shutdown", "power/action/shutdown"],
  ["suspend", "power/action/suspend"],
  ["discard", "action/discardSuspendedState"],
  ["revert", "action/revertToCurrentSnapshot"],
])("action %s", async (action, path) => {
  const posted = `POST ${vm}/${path}`;
  const { session, asked } = await start({ answers: { [posted]: { ...task(), status: 202 } } });
  expect(await session.act?.(action, "cloud_vm", vm)).toEqual({ handle: { task: "/api/task/t" } });
  expect(asked()).toEqual([posted]);
});

const ours = taskXml(words, { id: "9", inside: "<Progress>40</Progress>" });
test("cancelling takes the task that was told of", async () => {
  const posted = "POST /api/task/9/action/cancel";
  const answers = { "GET /api/task/9": xml(words, ours), [posted]: { status: 204 } };
  const one = { id: "a", inside: `<Tasks>${ours}</Tasks>` };
  const { session, asked } = await start({ vms: [one], answers });
  const outlook = await session.outlook?.("cancel-task", "cloud_vm", vm);
  expect(outlook).toMatchObject({
    subject: { task: "/api/task/9" },
    remarks: [
      "task:        Doing vappRelocateVm, by admin, 40 %",
      "begun by:    the user of this session",
      expect.stringMatching(/^lost by it: .* 40 % of it/),
    ],
  });
  expect(outlook?.disrupts).toBeUndefined();
  const result = await session.act?.("cancel-task", "cloud_vm", vm, outlook?.subject);
  expect(result).toEqual({ handle: { task: "/api/task/9" } });
  expect(asked()).toEqual([`GET ${vm}`, "GET /api/task/9", posted]);
});

test.each([
  ["eve", "eve, not by admin"],
  [null, "somebody whom the cloud does not name, not by admin"],
])("cancelling a task of %s needs a word of its own", async (user, by) => {
  const inside = `<Tasks>${taskXml(words, { id: "9", user })}</Tasks>`;
  const { session } = await start({ vms: [{ id: "a", inside }] });
  const outlook = await session.outlook?.("cancel-task", "cloud_vm", vm);
  expect(outlook?.disrupts).toEqual(["foreign-task"]);
  expect(outlook?.remarks).toContain(`begun by:    ${by}`);
});

test.each<[string, TestVm]>([
  ["nothing runs", { id: "a" }],
  [
    "what ran has ended",
    { id: "a", inside: `<Tasks>${taskXml(words, { id: "9", status: "error" })}</Tasks>` },
  ],
])("there is nothing to cancel where %s", async (_, one) => {
  const { session } = await start({ vms: [one] });
  const outlook = await session.outlook?.("cancel-task", "cloud_vm", vm);
  expect(outlook?.needless).toMatch(/^nothing is running on VM /);
});

test("one of two tasks is not chosen", async () => {
  const inside = `<Tasks>${ours}${taskXml(words, { id: "8" })}</Tasks>`;
  const { session } = await start({ vms: [{ id: "a", inside }] });
  const error = await failure(session.outlook?.("cancel-task", "cloud_vm", vm));
  expect(error).toMatchObject({ kind: "precondition", effect: "none" });
});

const snapshotOf = (content: string): string =>
  `<SnapshotSection xmlns="${words.namespace}">${content}</SnapshotSection>`;
const taken = `<Snapshot created="2026-01-02T03:04:05Z" poweredOn="true" size="1"/>`;
test.each<[string, Partial<TestVm>, string | null]>([
  ["reset", { status: "POWERED_ON", deployed: true }, null],
  ["reset", { status: "POWERED_OFF" }, "precondition"],
  ["reboot", { status: "SUSPENDED", deployed: true }, "precondition"],
  ["power-off", { status: "POWERED_OFF", deployed: true }, "precondition"],
  ["discard", { status: "POWERED_ON", deployed: true }, "precondition"],
  ["discard", { status: "SUSPENDED", deployed: true }, null],
  ["revert", { inside: snapshotOf("") }, "precondition"],
  ["revert", { inside: snapshotOf(taken) }, null],
  // It may still become what is needed.
  ["reset", { status: "POWERED_ON", deployed: true, inside: `<Tasks>${ours}</Tasks>` }, "busy"],
])("%s of %j is %s before anybody is asked", async (action, one, kind) => {
  const { session, asked } = await start({ vms: [{ id: "a", ...one }] });
  const outlook = session.outlook?.(action, "cloud_vm", vm);
  if (kind === null) expect(await outlook).not.toHaveProperty("needless");
  else expect(await failure(outlook)).toMatchObject({ kind, effect: "none" });
  expect(asked()).toEqual([`GET ${vm}`]);
});

test.each([
  [
    "mks://console.example/vm-302?ticket=cst-SPMt%2F8d6W%2Bx%3D%3D--tp-1D%3A87--",
    "console.example",
    "cst-SPMt/8d6W+x==--tp-1D:87--",
  ],
  ["\n mks://10.0.0.1/vm-514?ticket=TE-yKy%2Fa+b \n", "10.0.0.1", "TE-yKy/a+b"],
  ["mks://https://host%3A7443/vm-274?ticket=cst-1", "host:7443", "cst-1"],
  ["mks://[fe80::1]:443/vm-1?ticket=a%252F", "[fe80::1]:443", "a%2F"],
])("ticket %j", (text, host, ticket) => {
  expect(readTicket(text)).toEqual({ url: text.trim(), host, ticket, validMs: 30_000 });
});

test.each(["", "mks://host/vm-1", "https://host/vm-1?ticket=x", "mks://host/vm-1?ticket=%zz"])(
  "%j is no ticket",
  (text) => {
    expect(readTicket(text)).toBeUndefined();
  },
);

const ticketUrl = "mks://console/vm-1?ticket=cst-SECRET%2Bx";
const acquire = `POST ${vm}/screen/action/acquireTicket`;
test("a ticket is asked for a VM that is on", async () => {
  const body = `<ScreenTicket xmlns="${words.namespace}">${ticketUrl}\n</ScreenTicket>`;
  const vms = [{ id: "a", status: "POWERED_ON", deployed: true }];
  const { session, asked } = await start({ vms, answers: { [acquire]: xml(words, body) } });
  expect(await session.ticket?.("cloud_vm", vm)).toEqual({
    url: ticketUrl,
    host: "console",
    ticket: "cst-SECRET+x",
    validMs: 30_000,
  });
  expect(asked()).toEqual([`GET ${vm}`, acquire]);
});

test("no ticket of a VM that is off, and none in an error", async () => {
  const { session, asked } = await start({ vms: [{ id: "a", name: "db" }] });
  const off = await failure(session.ticket?.("cloud_vm", vm));
  expect(off).toMatchObject({ kind: "precondition", effect: "none" });
  expect(off.message).toBe("VM db is off; a screen ticket needs it on");
  expect(asked()).toEqual([`GET ${vm}`]);
  await open?.close();
  const vms = [{ id: "a", status: "POWERED_ON", deployed: true }];
  const body = `<Ticket xmlns="${words.namespace}">${ticketUrl}</Ticket>`;
  const odd = await start({ vms, answers: { [acquire]: xml(words, body) } });
  const error = await failure(odd.session.ticket?.("cloud_vm", vm));
  expect(error.kind).toBe("protocol");
  expect(error.message).not.toContain("SECRET");
});

test("a request that is not answered ends with its own limit", async () => {
  const { session, cloud } = await start({ answers: { [powerOn]: "hang" } });
  const wanted = withParts(operation("power-on", vm), { proof: { requestLimitMs: 50 } });
  const error = await failure(session.send(wanted, cloud.ports.clock.now() + 86_400_000));
  expect(error).toMatchObject({ kind: "timeout", effect: "unknown" });
});
