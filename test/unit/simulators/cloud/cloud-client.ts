/** A plain client of the simulated cloud: one login, then requests whose bodies are parsed. */

import type { XmlElement } from "../../../../src/lib/xml/xml.ts";
import { attributeOf, childrenOf } from "../../../../src/lib/xml/xml.ts";
import { parseXml } from "../../../../src/lib/xml/xml-reader.ts";
import type { CloudDocument } from "../../../../src/simulators/cloud/world/world-document.ts";
import type { FaultScript } from "../../../../src/simulators/faults.ts";
import type { RunningSimulators } from "../../../../src/simulators/start.ts";
import { simulate } from "../simulation.ts";

export const neutral = {
  header: "x-cloud-authorization",
  cookie: "cloud-token",
  media: "application/vnd.vendor.cloud.",
  namespace: "http://www.vendor.com/cloud/v1.5",
} as const;

/** Durations in which every task has ended when its request is answered. */
export const instant = {
  power_on: 0,
  power_off: 0,
  shutdown: 0,
  reset: 0,
  reboot: 0,
  suspend: 0,
  discard: 0,
  undeploy: 0,
  relocate: 0,
  create_snapshot: 0,
  remove_snapshots: 0,
  revert_snapshot: 0,
  nested: 0,
  update: 0,
  delete: 0,
} as const;

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Root of the body; throws when there is none. */
  readonly root: XmlElement;
};

export type Client = {
  readonly simulators: RunningSimulators;
  /** `target` is method and path, as `GET /api/query`. */
  readonly send: (target: string, options?: SendOptions) => Promise<Reply>;
};

export type SendOptions = {
  readonly type?: string;
  readonly body?: string;
  readonly headers?: { readonly [name: string]: string };
};

export async function rawSend(
  simulators: RunningSimulators,
  target: string,
  headers: { readonly [name: string]: string },
  body?: string,
): Promise<Reply> {
  const [method = "", path = ""] = target.split(" ", 2);
  const response = await fetch(`${simulators.origins.cloud}${path}`, {
    method,
    headers,
    redirect: "manual",
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    get root() {
      return parseXml(text);
    },
  };
}

export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

export function accept(version: string): string {
  return `application/*+xml;version=${version}`;
}

/** A client that has logged in, with the neutral dialect unless told. */
export async function logIn(
  simulators: RunningSimulators,
  login: {
    readonly user?: string;
    readonly password?: string;
    readonly version?: string;
    readonly header?: string;
  } = {},
): Promise<Client> {
  const { user = "admin@system", password = "secret", version = "5.1" } = login;
  const header = login.header ?? neutral.header;
  const common = { accept: accept(version) };
  const authorization = basic(user, password);
  const reply = await rawSend(simulators, "POST /api/sessions", { ...common, authorization });
  const token = reply.headers.get(header);
  if (reply.status !== 200 || token === null) throw new Error(`login: ${reply.status}`);
  return {
    simulators,
    send: (target, { type, body, headers } = {}) =>
      rawSend(
        simulators,
        target,
        {
          ...common,
          [header]: token,
          ...(type === undefined ? {} : { "content-type": `${neutral.media}${type}+xml` }),
          ...headers,
        },
        body,
      ),
  };
}

/** Simulators with this cloud, and a system administrator who has logged in. */
export async function cloudWith(
  cloud: CloudDocument,
  options: { readonly faults?: FaultScript; readonly version?: string } = {},
): Promise<Client> {
  const { faults, version } = options;
  const simulators = await simulate({ world: { cloud }, ...(faults ? { faults } : {}) });
  return logIn(simulators, version === undefined ? {} : { version });
}

/** Path of a VM by its key in the world. */
export function vmPath({ simulators }: Pick<Client, "simulators">, key: string): string {
  const vm = simulators.world().cloud.vms.find((each) => each.key === key);
  if (vm === undefined) throw new Error(`no VM ${key}`);
  return `/api/vApp/vm-${vm.id}`;
}

export function vappPath({ simulators }: Pick<Client, "simulators">, key: string): string {
  const vapp = simulators.world().cloud.vapps.find((each) => each.key === key);
  if (vapp === undefined) throw new Error(`no vApp ${key}`);
  return `/api/vApp/vapp-${vapp.id}`;
}

export function datastoreHref({ simulators }: Pick<Client, "simulators">, key: string): string {
  const found = simulators.world().cloud.datastores.find((each) => each.key === key);
  return `${simulators.origins.cloud}/api/admin/extension/datastore/${found?.id ?? key}`;
}

export function relocateBody(href: string): SendOptions {
  const datastore = `<Datastore href="${href}"/>`;
  const body = `<RelocateParams xmlns="${neutral.namespace}">${datastore}</RelocateParams>`;
  return { type: "relocateVmParams", body };
}

export function undeployBody(word?: string): SendOptions {
  const action = word === undefined ? "" : `<UndeployPowerAction>${word}</UndeployPowerAction>`;
  return {
    type: "undeployVAppParams",
    body: `<UndeployVAppParams xmlns="${neutral.namespace}">${action}</UndeployVAppParams>`,
  };
}

export function snapshotBody(attributes: string): SendOptions {
  return {
    type: "createSnapshotParams",
    body: `<CreateSnapshotParams xmlns="${neutral.namespace}" ${attributes}/>`,
  };
}

/** Minor error code and message of a refusal. */
export function errorOf({ status, root }: Reply): readonly [number, string, string] {
  if (root.local !== "Error") throw new Error(`no error: ${root.local}`);
  if (attributeOf(root, "majorErrorCode") !== String(status)) throw new Error("another status");
  return [status, attributeOf(root, "minorErrorCode") ?? "", attributeOf(root, "message") ?? ""];
}

/** Rels of the links of a document, without `up`. */
export function relsOf(root: XmlElement): readonly string[] {
  return childrenOf(root, neutral.namespace, "Link")
    .map((link) => attributeOf(link, "rel") ?? "")
    .filter((rel) => rel !== "up");
}

/** Record elements of a page. */
export function recordsOf(root: XmlElement): readonly XmlElement[] {
  return root.children.filter(
    (child): child is XmlElement => typeof child !== "string" && child.local !== "Link",
  );
}

/** All elements of a name at any depth, in the order of the document. */
export function descendantsOf(root: XmlElement, local: string): readonly XmlElement[] {
  return root.children.flatMap((child) => {
    if (typeof child === "string") return [];
    const inner = descendantsOf(child, local);
    return child.local === local ? [child, ...inner] : inner;
  });
}
