import { afterEach, expect, test } from "vitest";
import type { LowerRequest } from "../../../../../src/model/provider/provider.ts";
import type { Address } from "../../../../../src/model/value/address.ts";
import { unknown } from "../../../../../src/model/value/value.ts";
import { snapshotParts, snapshotType } from "../../../../../src/providers/cloud/vm/snapshot.ts";
import { readFacts, type VmFacts } from "../../../../../src/providers/cloud/vm/vm-facts.ts";
import { recordedObject } from "../../../../helpers/recorded-builder.ts";
import {
  type CloudSession,
  type Inventory,
  operation,
  snapshotXml,
  startInventory,
  taskXml,
  vmPath,
  wantedSnapshot,
  wantedVm,
  xml,
} from "../cloud-inventory.ts";
import { type CloudScript, neutralWords, vendorWords } from "../scripted-cloud.ts";

const vm = vmPath("a");
const made = "2014-05-22T16:39:26.913+02:00";
const madeAt = "2014-05-22T14:39:26.913Z";
const later = "2014-06-01T00:00:00Z";

let open: CloudSession | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(inventory: Inventory, script: CloudScript = {}): Promise<CloudSession> {
  open = await startInventory(inventory, script);
  return open;
}

const withSnapshot = (created?: string) => ({ vms: [{ id: "a", inside: snapshotXml(created) }] });

test.each([
  [{ vm }, `${vm}/snapshot`],
  [{ vm: unknown }, undefined],
  [{}, undefined],
])("identity of %j before it exists", (attributes, identity) => {
  expect(snapshotType.identityOf(attributes)).toBe(identity);
});

test.each([
  ["vm-a", `${vm}/snapshot`],
  [`https://c/base${vm}`, `${vm}/snapshot`],
  [`${vm}/snapshot/${madeAt}`, `${vm}/snapshot/${madeAt}`],
  ["snapshot", undefined],
])("identity of %j", (text, identity) => {
  expect(snapshotType.parseIdentity?.(text)).toBe(identity);
});

test("one lock for the VM's snapshot, whenever it was made", () => {
  const settings = { url: "https://c" };
  const first = snapshotType.entity(`${vm}/snapshot`, settings);
  expect(snapshotType.entity(`${vm}/snapshot/${madeAt}`, settings)).toBe(first);
  expect(snapshotParts(`${vm}/snapshot/${madeAt}`)).toEqual({ vm, createdAt: madeAt });
});

test.each([
  [{ vm }, []],
  [{ vm: `https://c${vm}` }, ["CLD003"]],
  [{ vm: "db" }, ["CLD003"]],
  [{ vm, name: "a\ud800" }, ["CLD019"]],
  [{ vm, description: "\u0003" }, ["CLD019"]],
])("%j", (attributes, codes) => {
  const address = "cloud_snapshot.x" as Address;
  expect(snapshotType.check?.(attributes, address).map(({ code }) => code)).toEqual(codes);
});

const body = (attributes: string, inside = "") => {
  const head = `<CreateSnapshotParams xmlns="{xml_namespace}" ${attributes}`;
  return inside === "" ? `${head}/>` : `${head}>${inside}</CreateSnapshotParams>`;
};
test.each([
  [{ vm }, body('memory="false" quiesce="false"')],
  [{ vm, memory: true, name: 'a"<' }, body('memory="true" quiesce="false" name="a&quot;&lt;"')],
  [
    { vm, quiesce: true, description: "a & b" },
    body('memory="false" quiesce="true"', "<Description>a &amp; b</Description>"),
  ],
  [{ vm, description: unknown }, unknown],
  [{ vm, name: unknown }, unknown],
])("create of %j says memory and quiesce always", (inputs, sent) => {
  const [step] = snapshotType.lower({ action: "create", identity: `${vm}/snapshot`, inputs });
  expect(step).toMatchObject({ verb: "create", effect: "create", request: { repeat: "unsafe" } });
  const request = snapshotType.request("create", `${vm}/snapshot`, step?.request.inputs ?? {});
  expect(request).toEqual({
    method: "POST",
    path: `${vm}/action/createSnapshot`,
    contentType: "application/vnd.vendor.cloud.createSnapshotParams+xml",
    body: sent,
  });
});

test("removing asks for consent and needs no power", () => {
  const identity = `${vm}/snapshot/${madeAt}`;
  const [step] = snapshotType.lower({ action: "delete", identity } as LowerRequest);
  expect(step).toMatchObject({ verb: "remove", effect: "delete", disrupts: ["destroy"] });
  expect(step).not.toHaveProperty("needs");
  const prior = recordedObject("cloud_snapshot.s", { identity });
  const named = { action: "delete", identity, prior, container: { name: "web" } } as const;
  expect(snapshotType.lower(named)[0]?.summary).toBe("remove the snapshot of VM web");
  expect(snapshotType.request("remove", identity, {})).toEqual({
    method: "POST",
    path: `${vm}/action/removeAllSnapshots`,
  });
});

const moving = "Moving";
test.each<[Partial<VmFacts>, readonly string[]]>([
  [{ api_version: "1.5" }, ["CLD014"]],
  [{}, []],
  [{ links: ["power-on"] }, ["CLD017"]],
  [{ links: ["power-on"], vapp_tasks: [moving] }, ["CLD013"]],
  [{ links: [], shows_links: false }, []],
  [{ links: ["power-on"], power_state: "suspended" }, []],
  [{ has_independent_disk: true }, ["CLD018"]],
])("objections to a snapshot with %j", (known, codes) => {
  const facts = readFacts({
    api_version: "5.1",
    is_system: true,
    links: ["create"],
    shows_links: true,
    tasks: [],
    vapp_tasks: [],
    has_independent_disk: false,
    power_state: "off",
    ...known,
  });
  const request: LowerRequest = { action: "create", identity: `${vm}/snapshot`, inputs: {}, facts };
  expect(snapshotType.objections?.(request).map(({ code }) => code)).toEqual(codes);
});

test("whatever snapshot there is gives its whole identity", async () => {
  const { session, asked } = await start(withSnapshot(made));
  const observations = await session.read([wantedSnapshot("a"), wantedSnapshot("a", madeAt)]);
  for (const observation of observations) {
    expect(observation).toEqual({
      status: "found",
      identity: `${vm}/snapshot/${madeAt}`,
      attributes: {
        vm,
        created_at: madeAt,
        powered_on: true,
        size_bytes: 1024,
        vapp_href: "/api/vApp/vapp-web",
      },
      unreadable: {},
    });
  }
  expect(asked()).toEqual([`GET ${vm}`]);
});

test("a snapshot shares the read of its VM", async () => {
  const { session, asked } = await start(withSnapshot(made));
  const observations = await session.read([
    wantedVm("a", "nested_hv_enabled"),
    wantedSnapshot("a", madeAt),
  ]);
  expect(observations.map(({ status }) => status)).toEqual(["found", "found"]);
  expect([...asked()].sort()).toEqual([`GET ${vm}`, "query adminVM"]);
});

test.each([
  ["none", undefined, { proof: "VM a was read and has no snapshot" }],
  [
    "another",
    later,
    {
      proof: "VM a was read and has another snapshot, made at 1 Jun 2014 00:00:00",
      instead: true,
    },
  ],
])("a VM with %s proves that the recorded one is gone", async (_, created, how) => {
  const { session } = await start(withSnapshot(created));
  expect(await session.read([wantedSnapshot("a", madeAt)])).toEqual([
    { status: "missing", ...how },
  ]);
});

test.each([
  ["does not tell", ""],
  [
    "tells no instant",
    '<SnapshotSection><Snapshot created="2014-05-22T16:39:26"/></SnapshotSection>',
  ],
])("a VM that %s proves nothing", async (_, inside) => {
  const { session } = await start({ vms: [{ id: "a", inside }] });
  expect(await session.read([wantedSnapshot("a")])).toMatchObject([
    { status: "unreadable", rule: "failed" },
  ]);
});

test("a snapshot goes with its VM, when that is gone indeed", async () => {
  const { session } = await start({ vms: [{ id: "b" }] });
  expect(await session.read([wantedSnapshot("a", madeAt)])).toMatchObject([
    { status: "missing", proof: /its VM is absent from the complete list of 1 VM, and a read/ },
  ]);
  await open?.close();
  const tenant = await start({ vms: [{ id: "b" }] }, { org: "Org1" });
  expect(await tenant.session.read([wantedSnapshot("a", madeAt)])).toMatchObject([
    { status: "unreadable", rule: "failed" },
  ]);
});

test.each([neutralWords, vendorWords])("creating in $cookie's words", async (words) => {
  const posted = `POST ${vm}/action/createSnapshot`;
  const task = { ...xml(words, taskXml(words, { id: "t" })), status: 202 };
  const { session, asked, bodies, cloud } = await start(
    { ...withSnapshot(), answers: { [posted]: task } },
    { words },
  );
  const wanted = operation("create", `${vm}/snapshot`, { vm, name: "n" }, "cloud_snapshot");
  expect(await session.send(wanted, Number.MAX_SAFE_INTEGER)).toEqual({
    handle: { task: "/api/task/t" },
  });
  expect(asked()).toEqual([`GET ${vm}`, posted]);
  expect(bodies()).toEqual([
    `<CreateSnapshotParams xmlns="${words.namespace}" memory="false" quiesce="false" name="n"/>`,
  ]);
  const { headers } =
    cloud.server.seen.find(({ method, url }) => `${method} ${url}` === posted) ?? {};
  expect(headers?.["content-type"]).toBe(`${words.media}createSnapshotParams+xml`);
});

test.each([
  ["create", made, undefined, "conflict", /has a snapshot already, made at 22 May 2014 14:/],
  ["remove", later, madeAt, "precondition", /is another one, made at 1 Jun 2014 /],
  ["remove", undefined, madeAt, "precondition", /has no snapshot any more/],
] as const)("%s with %s there is not sent", async (verb, there, recorded, kind, message) => {
  const { session, asked } = await start(withSnapshot(there));
  const identity = `${vm}/snapshot${recorded === undefined ? "" : `/${recorded}`}`;
  const wanted = operation(verb, identity, { vm }, "cloud_snapshot");
  await expect(session.send(wanted, Number.MAX_SAFE_INTEGER)).rejects.toMatchObject({
    kind,
    effect: "none",
    message: expect.stringMatching(message) as string,
  });
  expect(asked()).toEqual([`GET ${vm}`]);
});

test("the recorded snapshot is removed, however its time is printed", async () => {
  const posted = `POST ${vm}/action/removeAllSnapshots`;
  const { session, asked } = await start({
    ...withSnapshot(made),
    answers: { [posted]: { status: 202, headers: { location: "http://inner/api/task/t" } } },
  });
  const wanted = operation("remove", `${vm}/snapshot/${madeAt}`, {}, "cloud_snapshot");
  expect(await session.send(wanted, Number.MAX_SAFE_INTEGER)).toEqual({
    handle: { task: "/api/task/t" },
  });
  expect(asked()).toEqual([`GET ${vm}`, posted]);
});
