/**
 * A small cloud with VMs, from the wire facts alone, behind a session of the provider: it answers
 * queries page by page, VMs, vApps and tasks, and keeps what it was asked.
 */

import { createHttpClients } from "../../../../src/http/client.ts";
import type { PreparedOperation } from "../../../../src/model/operation/operation.ts";
import type { Wanted } from "../../../../src/model/provider/observation.ts";
import type { ProviderSession } from "../../../../src/model/provider/provider.ts";
import type { Address } from "../../../../src/model/value/address.ts";
import type { Attributes } from "../../../../src/model/value/value.ts";
import { cloudProvider } from "../../../../src/providers/cloud/provider.ts";
import type { Reply, SeenRequest } from "../../../helpers/scripted-server.ts";
import {
  type Answered,
  type CloudScript,
  errorXml,
  neutralWords,
  type ScriptedCloud,
  startCloud,
  type Words,
} from "./scripted-cloud.ts";

export type TestVm = {
  readonly id: string;
  readonly name?: string;
  readonly vapp?: string;
  /** As a record says it; the VM itself says the number. */
  readonly status?: string;
  readonly deployed?: boolean | null;
  readonly datastore?: string | null;
  readonly nested?: boolean | null;
  readonly hardware?: number;
  readonly template?: boolean;
  /** Elements inside the VM. */
  readonly inside?: string;
  /** Verbatim attributes of its record. */
  readonly extra?: string;
};

export type Inventory = {
  readonly vms?: readonly TestVm[];
  readonly datastores?: readonly string[];
  readonly pageMax?: number;
  /** False: a filter by href finds nothing. */
  readonly filtersByHref?: boolean;
  /** Of every query, in place of what it would find. */
  readonly queries?: Answered;
  /** By `GET /api/…`; looked at first. */
  readonly answers?: { readonly [request: string]: Answered | readonly Answered[] };
};

export type CloudSession = {
  readonly cloud: ScriptedCloud;
  readonly session: ProviderSession;
  /** Beyond login and logout; queries as `query TYPE`. */
  readonly asked: () => readonly string[];
  readonly bodies: () => readonly string[];
  readonly close: () => Promise<void>;
};

const statusCodes: { readonly [word: string]: number } = {
  FAILED_CREATION: -1,
  UNRESOLVED: 0,
  SUSPENDED: 3,
  POWERED_ON: 4,
  POWERED_OFF: 8,
  INCONSISTENT_STATE: 9,
  PARTIALLY_POWERED_OFF: 20,
};

export const vmPath = (id: string): string => `/api/vApp/vm-${id}`;
export const taskPath = (id: string): string => `/api/task/${id}`;

export async function startInventory(
  inventory: Inventory,
  script: CloudScript = {},
): Promise<CloudSession> {
  const words = script.words ?? neutralWords;
  const counts = new Map<string, number>();
  const handle = (request: SeenRequest): Answered | undefined => {
    const key = `${request.method} ${request.url}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    const entry = inventory.answers?.[key];
    if (entry === undefined) return ownAnswer(inventory, words, request);
    const list: readonly Answered[] = Array.isArray(entry) ? entry : [entry as Answered];
    return list[Math.min(count, list.length - 1)];
  };
  const cloud = await startCloud({ ...script, handle });
  const { ports, server } = cloud;
  const provider = cloudProvider.create({
    http: createHttpClients(ports),
    clock: ports.clock,
    readTextFile: () => Promise.reject(new Error("no file is read")),
  });
  const session = await provider.open({
    url: server.origin,
    user: "admin",
    org: script.org ?? "system",
    password: "secret",
    ...script.settings,
  });
  return {
    cloud,
    session,
    asked: () =>
      cloud
        .requests()
        .filter((one) => one !== "DELETE /api/session")
        .map((one) => one.replace(/^GET \/api\/query\?.*\btype=(\w+).*$/, "query $1")),
    bodies: () => server.seen.flatMap(({ body }) => (body === "" ? [] : [body])),
    close: async () => {
      await session.close();
      await cloud.close();
    },
  };
}

function ownAnswer(
  inventory: Inventory,
  words: Words,
  { method, url }: SeenRequest,
): Answered | undefined {
  if (method !== "GET") return undefined;
  if (url.startsWith("/api/query?")) {
    return inventory.queries ?? answerQuery(inventory, words, url);
  }
  const vms = inventory.vms ?? [];
  const vm = vms.find(({ id }) => url === vmPath(id));
  if (vm !== undefined) return xml(words, vmXml(words, vm));
  const inVapp = vms.filter(({ vapp = "web" }) => url === `/api/vApp/vapp-${vapp}`);
  if (inVapp.length > 0) {
    const children = inVapp.map((one) => vmXml(words, one)).join("");
    return xml(words, `<VApp xmlns="${words.namespace}"><Children>${children}</Children></VApp>`);
  }
  return url.startsWith("/api/vApp/") || url.startsWith("/api/task/")
    ? forbidden(words, url)
    : undefined;
}

export function forbidden(words: Words, url: string): Reply {
  const message = `No access to entity "(com.example.entity:${url})".`;
  return {
    ...xml(words, errorXml(words, 403, "ACCESS_TO_RESOURCE_IS_FORBIDDEN", message)),
    status: 403,
  };
}

export function xml(words: Words, body: string): Reply {
  return { headers: { "content-type": `${words.media}thing+xml;version=5.1` }, body };
}

/** Filters by `name` and `href` alone; every other condition is taken for true. */
function answerQuery(inventory: Inventory, words: Words, url: string): Reply {
  const query = new URL(url, "http://cloud.invalid").searchParams;
  const type = query.get("type") ?? "";
  const filter = query.get("filter") ?? "";
  const values = (name: string) =>
    [...filter.matchAll(new RegExp(`\\b${name}==([^,;()]+)`, "g"))].map((found) => found[1] ?? "");
  const [names, hrefs] = [values("name"), values("href")];
  const isDatastore = type === "datastore";
  const records = isDatastore
    ? (inventory.datastores ?? [])
    : (inventory.vms ?? [])
        .filter(({ id, name = id }) => {
          if (names.length === 0 && hrefs.length === 0) return true;
          const byHref =
            inventory.filtersByHref !== false && hrefs.some((it) => it.endsWith(vmPath(id)));
          return names.includes(name) || byHref;
        })
        .map((vm) => recordXml(vm, type));
  const size = Math.min(Number(query.get("pageSize") ?? 25), inventory.pageMax ?? 128);
  const page = Number(query.get("page") ?? 1);
  const shown = records.slice((page - 1) * size, page * size);
  const more = records.length > page * size;
  const next = more ? `<Link rel="nextPage" href="http://inner/api/query?page=${page + 1}"/>` : "";
  const counts = `total="${records.length}" pageSize="${size}" page="${page}" name="${type}"`;
  const root = "QueryResultRecords";
  const head = `<${root} xmlns="${words.namespace}" ${counts}>`;
  return xml(words, `${head}${next}${shown.join("")}</${root}>`);
}

function recordXml(vm: TestVm, type: string): string {
  const { id, name = id, vapp = "web", status = "POWERED_OFF", deployed = false } = vm;
  const { datastore = "ssd-01", template = false, hardware = 9, extra = "" } = vm;
  const kind = type === "adminVM" ? "AdminVMRecord" : "VMRecord";
  const folder = template ? "vAppTemplate" : "vApp";
  const admin = `moref="vm-1${id.length}" vc="http://inner/api/admin/extension/vimServer/1"`;
  const attributes = [
    `name="${name}" containerName="${vapp}" container="http://inner/api/vApp/vapp-${vapp}"`,
    `status="${status}" isVAppTemplate="${template}" guestOs="Linux" numberOfCpus="2"`,
    'memoryMB="512"',
    `hardwareVersion="${hardware}" href="http://inner/cloud/api/${folder}/vm-${id}"`,
    ...(deployed === null ? [] : [`isDeployed="${deployed}"`]),
    ...(type === "adminVM"
      ? [admin, datastore === null ? "" : `datastoreName="${datastore}"`]
      : []),
    extra,
  ];
  return `<${kind} ${attributes.join(" ")}/>`;
}

export function datastoreXml(words: Words, name: string, id: string, vc = "1"): string {
  const href = `http://inner/api/admin/extension/datastore/${id}`;
  const manager = `http://inner/api/admin/extension/vimServer/${vc}`;
  const attributes = `name="${name}" vc="${manager}" vcName="mgr${vc}" href="${href}"`;
  return `<DatastoreRecord xmlns="${words.namespace}" ${attributes}/>`;
}

function vmXml(words: Words, vm: TestVm): string {
  const { id, name = id, vapp = "web", status = "POWERED_OFF", deployed = false } = vm;
  const { nested = false, hardware = 9, inside = "" } = vm;
  const attributes = [
    `xmlns="${words.namespace}" name="${name}" status="${statusCodes[status] ?? status}"`,
    `href="http://inner/cloud${vmPath(id)}" type="${words.media}vm+xml"`,
    ...(nested === null ? [] : [`nestedHypervisorEnabled="${nested}"`]),
    ...(deployed === null ? [] : [`deployed="${deployed}"`]),
  ];
  const ovf = "http://schemas.dmtf.org/ovf/envelope/1";
  const hardwareXml =
    `<o:VirtualHardwareSection xmlns:o="${ovf}" xmlns:v="urn:vssd"><o:System>` +
    `<v:VirtualSystemType>vmx-${String(hardware).padStart(2, "0")}</v:VirtualSystemType>` +
    "</o:System></o:VirtualHardwareSection>";
  const up = `<Link rel="up" href="http://inner/api/vApp/vapp-${vapp}"/>`;
  return `<Vm ${attributes.join(" ")}>${up}${inside}${hardwareXml}</Vm>`;
}

export function snapshotXml(created?: string): string {
  const attributes = `created="${created}" poweredOn="true" size="1024"`;
  const inside = created === undefined ? "" : `<Snapshot ${attributes}/>`;
  return `<SnapshotSection>${inside}</SnapshotSection>`;
}

export const linkXml = (rel: string, id: string, suffix: string): string =>
  `<Link rel="${rel}" href="http://inner/cloud${vmPath(id)}${suffix}"/>`;

export type TestTask = {
  readonly id: string;
  readonly status?: string;
  readonly operation?: string;
  readonly user?: string | null;
  readonly start?: string | null;
  readonly owner?: string | null;
  readonly inside?: string;
};

export function taskXml(words: Words, task: TestTask): string {
  const { id, status = "running", operation: named = "vappRelocateVm", user = "admin" } = task;
  const { start = "2026-01-02T03:04:05.000Z", owner = null, inside = "" } = task;
  const started = start === null ? "" : `startTime="${start}"`;
  const text = `operation="Doing ${named}" operationName="${named}"`;
  const href = `href="http://inner${taskPath(id)}"`;
  const head = `<Task xmlns="${words.namespace}" status="${status}" ${started} ${text} ${href}>`;
  const by = user === null ? "" : `<User name="${user}" href="http://inner/api/admin/user/1"/>`;
  const of = owner === null ? "" : `<Owner name="" href="http://inner${owner}"/>`;
  return `${head}${of}${inside}${by}</Task>`;
}

export function wantedVm(id: string, ...attributes: readonly string[]): Wanted {
  return {
    address: `cloud_vm.${id}` as Address,
    type: "cloud_vm",
    identity: vmPath(id),
    attributes,
  };
}

export function lookedUp(lookup: Attributes, ...attributes: readonly string[]): Wanted {
  const address = "cloud_vm.x" as Address;
  return { address, type: "cloud_vm", identity: "", lookup, attributes };
}

export function wantedSnapshot(id: string, createdAt?: string): Wanted {
  const identity = `${vmPath(id)}/snapshot${createdAt === undefined ? "" : `/${createdAt}`}`;
  return {
    address: "cloud_snapshot.x" as Address,
    type: "cloud_snapshot",
    identity,
    attributes: [],
  };
}

export function operation(
  verb: string,
  identity: string,
  inputs: Attributes = {},
  type = "cloud_vm",
): PreparedOperation {
  return {
    id: `${type}.x#${verb}.1`,
    subject: {
      address: `${type}.x` as Address,
      type,
      provider: "cloud",
      objectKey: "current",
      identity,
    },
    verb,
    effect: { kind: "update" },
    summary: verb,
    request: { inputs, repeat: "unsafe" },
    record: { applied: {}, dependencies: [], timeoutsMs: {} },
    order: { after: [], locks: [], pools: [], long: false },
    disrupts: [],
    proof: { expect: [], unobservable: false, lagging: false, limitMs: 60_000, readBack: [] },
  };
}
