import { afterEach, expect, test } from "vitest";
import type { BeginEntry } from "../../../../../src/model/recorded/begin-entry.ts";
import type { Address } from "../../../../../src/model/value/address.ts";
import { type Parts, withParts } from "../../../../helpers/parts.ts";
import {
  type CloudSession,
  forbidden,
  type Inventory,
  startInventory,
  type TestTask,
  taskPath,
  taskXml,
  vmPath,
  xml,
} from "../cloud-inventory.ts";
import { type Answered, type CloudScript, neutralWords, vendorWords } from "../scripted-cloud.ts";

const words = neutralWords;
const vm = vmPath("a");
const handle = { task: taskPath("t") };
const beginMs = Date.parse("2026-01-02T03:00:00Z");

let open: CloudSession | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(inventory: Inventory, script: CloudScript = {}): Promise<CloudSession> {
  open = await startInventory(inventory, script);
  return open;
}

const shown = (task: Partial<TestTask>): Answered =>
  xml(words, taskXml(words, { id: "t", ...task }));
const error =
  '<Error majorErrorCode="500" minorErrorCode="INTERNAL_SERVER_ERROR" message="no tools" ' +
  'stackTrace="com.secret"/>';

test.each([
  ["success", "", { status: "success" }],
  ["queued", "", { status: "running", word: "queued" }],
  ["preRunning", "", { status: "running", word: "preRunning" }],
  ["running", "<Progress>40</Progress>", { status: "running", word: "running", progress: 40 }],
  ["running", "<Progress> 0 </Progress>", { status: "running", word: "running", progress: 0 }],
  ["running", "<Progress>140</Progress>", { status: "running", word: "running" }],
  ["running", "<Progress>about half</Progress>", { status: "running", word: "running" }],
  ["postRunning", "", { status: "running", word: "postRunning" }],
  ["paused", "", { status: "running", word: "paused" }],
  ["Success", "", { status: "running", word: "Success" }],
  [
    "error",
    error,
    {
      status: "failed",
      message: 'the remote task "Doing vappRelocateVm" failed: 500 INTERNAL_SERVER_ERROR: no tools',
    },
  ],
  [
    "error",
    "<Details>  no space</Details>",
    { status: "failed", message: 'the remote task "Doing vappRelocateVm" failed: no space' },
  ],
  [
    "canceled",
    "",
    { status: "failed", message: 'the remote task "Doing vappRelocateVm" was canceled' },
  ],
  [
    "aborted",
    "<Details/>",
    { status: "failed", message: 'the remote task "Doing vappRelocateVm" was aborted' },
  ],
])("a task that is %s with %j", async (status, inside, expected) => {
  const { session } = await start({ answers: { "GET /api/task/t": shown({ status, inside }) } });
  expect(await session.poll?.(handle)).toEqual(expected);
});

test("a task in the vendor's words and under a prefix", async () => {
  const body = `<n6:Task xmlns:n6="${vendorWords.namespace}" status="success" href="x"/>`;
  const { session } = await start(
    { answers: { "GET /api/task/t": { body } } },
    { words: vendorWords },
  );
  expect(await session.poll?.(handle)).toEqual({ status: "success" });
});

test.each([
  ["refused", forbidden(words, "t"), { status: "vanished" }],
  ["not found", { status: 404, body: "" }, { status: "vanished" }],
] as const)("a task that is %s has vanished", async (_, answer, status) => {
  const { session } = await start({ answers: { "GET /api/task/t": answer } });
  expect(await session.poll?.(handle)).toEqual(status);
});

test.each([
  ["a failing server", { status: 501, body: "" }],
  ["a page", { body: "<html>Sign in</html>" }],
  ["another document", xml(words, `<Vm xmlns="${words.namespace}" status="success"/>`)],
  ["a task of another namespace", { body: '<Task xmlns="urn:other" status="success"/>' }],
] as const)("%s says nothing of the task", async (_, answer) => {
  const { session } = await start({ answers: { "GET /api/task/t": answer } });
  await expect(session.poll?.(handle)).rejects.toMatchObject({ name: "RemoteError" });
});

test.each([
  [
    "the link it offers",
    '<Link rel="task:cancel" href="http://inner/api/task/t/action/stop"/>',
    "stop",
  ],
  ["the known path", "", "cancel"],
])("cancelling by %s", async (_, inside, action) => {
  const posted = `POST /api/task/t/action/${action}`;
  const answers = { "GET /api/task/t": shown({ inside }), [posted]: { status: 204 } };
  const { session, asked } = await start({ answers });
  await session.cancel?.(handle);
  expect(asked()).toEqual(["GET /api/task/t", posted]);
});

test.each([
  ["ended", shown({ status: "success" })],
  ["gone", forbidden(words, "t")],
])("a task that has %s is not cancelled", async (_, answer) => {
  const { session, asked } = await start({ answers: { "GET /api/task/t": answer } });
  await session.cancel?.(handle);
  expect(asked()).toEqual(["GET /api/task/t"]);
});

function begin(changes: Parts<BeginEntry> = {}): BeginEntry {
  const base: BeginEntry = {
    kind: "begin",
    planId: "p",
    id: "cloud_vm.x#relocate.1",
    subject: {
      address: "cloud_vm.x" as Address,
      objectKey: "current",
      type: "cloud_vm",
      provider: "cloud",
      identity: vm,
    },
    settings: null,
    verb: "relocate",
    effect: { kind: "update" },
    request: null,
    repeat: "unsafe",
    order: { locks: [] },
    proof: { expect: [], unobservable: false, lagging: false, readBack: [], limitMs: 60_000 },
    record: { applied: {}, dependencies: [], timeoutsMs: {} },
    atMs: beginMs,
    serverTimeMs: beginMs,
  };
  return withParts(base, changes);
}

const at = (seconds: number): string => new Date(beginMs + seconds * 1000).toISOString();
const withTasks = (...tasks: readonly TestTask[]): Inventory => ({
  vms: [{ id: "a", inside: `<Tasks>${tasks.map((it) => taskXml(words, it)).join("")}</Tasks>` }],
});

test.each<[string, readonly TestTask[], string | undefined]>([
  ["the running one", [{ id: "1", start: at(1) }], "1"],
  ["an ended one too", [{ id: "1", start: at(1), status: "error" }], "1"],
  ["a queued one without a start", [{ id: "1", start: null, status: "queued" }], "1"],
  ["not an ended one without a start", [{ id: "1", start: null, status: "success" }], undefined],
  ["within seconds of the clock", [{ id: "1", start: at(-4) }], "1"],
  ["none of before", [{ id: "1", start: at(-60) }], undefined],
  ["none of another kind", [{ id: "1", start: at(1), operation: "vappUpdateVm" }], undefined],
  ["none of somebody else", [{ id: "1", start: at(1), user: "eve" }], undefined],
  ["ours in other letters", [{ id: "1", start: at(1), user: "ADMIN" }], "1"],
  ["one that does not say whose it is", [{ id: "1", start: at(1), user: null }], "1"],
  ["none of another VM", [{ id: "1", start: at(1), owner: vmPath("b") }], undefined],
  [
    "the first after the begin",
    [
      { id: "3", start: at(9) },
      { id: "2", start: at(2), owner: vm },
      { id: "1", start: at(-9) },
    ],
    "2",
  ],
  ["times with another offset", [{ id: "1", start: "2026-01-02T05:00:01.000+02:00" }], "1"],
])("among the VM's own tasks: %s", async (_, tasks, found) => {
  const { session } = await start(withTasks(...tasks));
  const expected = found === undefined ? undefined : { task: taskPath(found) };
  expect(await session.findTask?.(begin())).toEqual(expected);
});

test("the task of a snapshot is sought with its VM", async () => {
  const { session } = await start(
    withTasks({ id: "1", start: at(1), operation: "vappCreateSnapshot" }),
  );
  const entry = begin({
    subject: { type: "cloud_snapshot", identity: `${vm}/snapshot` },
    verb: "create",
  });
  expect(await session.findTask?.(entry)).toEqual({ task: taskPath("1") });
});

const taken = (created: string): string =>
  `<SnapshotSection xmlns="${words.namespace}">` +
  `<Snapshot created="${created}" poweredOn="true" size="1"/></SnapshotSection>`;
const foreign = (began: string): string =>
  taskXml(words, {
    id: "5",
    start: began,
    operation: "vappCreateSnapshot",
    user: "eve",
    status: "success",
  });
test.each<[string, string, boolean]>([
  ["made just after the request", taken(at(3)), true],
  ["dated to the millisecond, the clock to the second", taken(at(-0.5)), true],
  ["with another offset", taken("2026-01-02T05:00:01.000+02:00"), true],
  ["made before the request", taken(at(-4)), false],
  ["made when the request could not have come any more", taken(at(126)), false],
  ["made by the task of somebody else", `<Tasks>${foreign(at(1))}</Tasks>${taken(at(3))}`, false],
  [
    "made after somebody else's earlier one",
    `<Tasks>${foreign(at(-60))}</Tasks>${taken(at(3))}`,
    true,
  ],
  ["that is not there", `<SnapshotSection xmlns="${words.namespace}"/>`, false],
])("where no list shows a task, a snapshot %s is ours or not", async (_, inside, isOurs) => {
  const { session } = await start({ vms: [{ id: "a", inside }] });
  const entry = begin({
    subject: { type: "cloud_snapshot", identity: `${vm}/snapshot` },
    verb: "create",
    proof: { requestLimitMs: 120_000 },
  });
  const found = await session.findTask?.(entry);
  expect(found !== undefined).toBe(isOurs);
  if (found !== undefined) expect(await session.poll?.(found)).toEqual({ status: "success" });
  // What a later operation is told of it hides no task.
  const later = begin({ ...(found === undefined ? {} : { earlierTasks: [found] }) });
  expect(await session.findTask?.(later)).toBeUndefined();
  // A removal makes none.
  expect(await session.findTask?.({ ...entry, verb: "remove" })).toBeUndefined();
});

test("then the last task that the VM's record names", async () => {
  const extra = 'task="http://inner/api/task/9" taskStatusName="vappRelocateVm"';
  const task = { id: "9", start: at(1), status: "success", owner: vm };
  const answers = { "GET /api/task/9": xml(words, taskXml(words, task)) };
  const { session, asked } = await start({ vms: [{ id: "a", extra }], answers });
  expect(await session.findTask?.(begin())).toEqual({ task: taskPath("9") });
  expect(asked()).toEqual([`GET ${vm}`, "query vm", "GET /api/task/9"]);
});

test("then the list of the organization, where the session offers it", async () => {
  const link = (href: string, name = "System") =>
    `<Link rel="down" name="${name}" href="${href}"/>`;
  const root = (local: string, inside: string) =>
    xml(words, `<${local} xmlns="${words.namespace}">${inside}</${local}>`);
  const task = taskXml(words, { id: "7", start: at(1), owner: vm });
  const { session, asked } = await start({
    vms: [{ id: "a" }],
    answers: {
      "GET /api/session": root("Session", link("http://inner/api/org/1")),
      "GET /api/org/1": root("Org", link("http://inner/api/tasksList/1", "")),
      "GET /api/tasksList/1": root("TasksList", task),
    },
  });
  expect(await session.findTask?.(begin())).toEqual({ task: taskPath("7") });
  expect(asked().slice(2)).toEqual(["GET /api/session", "GET /api/org/1", "GET /api/tasksList/1"]);
});

test("a task that an earlier operation began is passed over, whatever the clocks say", async () => {
  const failed = { id: "1", start: at(1), status: "error" };
  const { session } = await start(withTasks(failed, { id: "2", start: at(2) }));
  const entry = begin({ earlierTasks: [{ task: taskPath("1") }] });
  expect(await session.findTask?.(entry)).toEqual({ task: taskPath("2") });
});

test("no task anywhere is told as none, a failing server is not", async () => {
  const { session } = await start({ vms: [{ id: "a" }] });
  expect(await session.findTask?.(begin())).toBeUndefined();
  await open?.close();
  const failing = await start({ answers: { [`GET ${vm}`]: { status: 501, body: "" } } });
  await expect(failing.session.findTask?.(begin())).rejects.toMatchObject({ name: "RemoteError" });
});

test("the server's clock is that of its replies", async () => {
  const date = "Fri, 02 Jan 2026 04:04:05 GMT";
  const { session, cloud } = await start({
    queries: {
      ...xml(words, `<QueryResultRecords xmlns="${words.namespace}" total="0"/>`),
      headers: { date },
    },
  });
  await session.list?.("cloud_vm");
  expect(await session.serverTime?.()).toBe(
    Date.parse(date) + (cloud.ports.clock.now() - Date.parse("2026-01-02T03:04:05Z")),
  );
});
