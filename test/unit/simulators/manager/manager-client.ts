/** A plain client of the simulated manager: SOAP with XML by hand, and the object browser. */

import type { XmlElement } from "../../../../src/lib/xml/xml.ts";
import { attributeOf, childrenOf, textOf } from "../../../../src/lib/xml/xml.ts";
import { parseXml } from "../../../../src/lib/xml/xml-reader.ts";
import type { FaultScript } from "../../../../src/simulators/faults.ts";
import type { ManagerDocument } from "../../../../src/simulators/manager/world/world-document.ts";
import type { RunningSimulators } from "../../../../src/simulators/start.ts";
import { simulate } from "../simulation.ts";

const vim = "urn:vim25";
const soap = "http://schemas.xmlsoap.org/soap/envelope/";
const xsi = "http://www.w3.org/2001/XMLSchema-instance";

export type SoapReply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The response or fault element of the body. */
  readonly body: XmlElement;
  /** Elements `returnval`. */
  readonly values: readonly XmlElement[];
};

export type Client = {
  readonly simulators: RunningSimulators;
  readonly cookie: string;
  /** Calls a method on an object; `inner` is XML behind `_this`. */
  readonly call: (
    method: string,
    target: Target,
    inner?: string,
    headers?: { readonly [name: string]: string },
  ) => Promise<SoapReply>;
};

/** `Type:id`. */
export type Target = `${string}:${string}`;

const action = '"urn:vim25/6.5"';

export async function soapCall(
  simulators: RunningSimulators,
  method: string,
  target: Target,
  inner = "",
  headers: { readonly [name: string]: string } = {},
): Promise<SoapReply> {
  return sendSoap(simulators, envelope(method, target, inner), headers);
}

export function envelope(method: string, target: Target, inner = ""): string {
  const [type = "", ...id] = target.split(":");
  return (
    `<soapenv:Envelope xmlns:soapenv="${soap}" xmlns:xsi="${xsi}"><soapenv:Body>` +
    `<${method} xmlns="${vim}"><_this type="${type}">${id.join(":")}</_this>${inner}</${method}>` +
    "</soapenv:Body></soapenv:Envelope>"
  );
}

export async function sendSoap(
  simulators: RunningSimulators,
  body: string,
  headers: { readonly [name: string]: string } = {},
): Promise<SoapReply> {
  const response = await fetch(`${simulators.origins.manager}/sdk`, {
    method: "POST",
    headers: { "content-type": 'text/xml; charset="utf-8"', soapaction: action, ...headers },
    body,
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    get body() {
      return bodyOf(text);
    },
    get values() {
      return childrenOf(bodyOf(text), vim, "returnval");
    },
  };
}

function bodyOf(text: string): XmlElement {
  const [body] = childrenOf(parseXml(text), soap, "Body");
  const inner = body?.children.find((child) => typeof child !== "string");
  if (inner === undefined) throw new Error(`no body: ${text}`);
  return inner;
}

/** Simulators with this manager. */
export function managerWith(
  manager: ManagerDocument,
  options: { readonly faults?: FaultScript } = {},
): Promise<RunningSimulators> {
  return simulate({ world: { manager }, ...options });
}

/** A client that has logged in. */
export async function logIn(
  simulators: RunningSimulators,
  login: { readonly user?: string; readonly password?: string; readonly target?: Target } = {},
): Promise<Client> {
  const { user = "admin", password = "secret", target = "SessionManager:SessionManager" } = login;
  const inner = `<userName>${user}</userName><password>${password}</password>`;
  const reply = await soapCall(simulators, "Login", target, inner);
  if (reply.status !== 200) throw new Error(`login: ${reply.text}`);
  const cookie = cookieOf(reply.headers);
  return {
    simulators,
    cookie,
    call: (method, on, xml = "", headers = {}) =>
      soapCall(simulators, method, on, xml, { cookie, ...headers }),
  };
}

/** The pair of name and value, as it is to be sent back. */
export function cookieOf(headers: Headers): string {
  const pair = headers.get("set-cookie")?.split(";")[0];
  if (pair === undefined) throw new Error("no cookie");
  return pair;
}

export async function clientOf(
  manager: ManagerDocument,
  options: { readonly faults?: FaultScript } = {},
): Promise<Client> {
  return logIn(await managerWith(manager, options));
}

/** Type of a fault answer and the texts of its members. */
export function faultOf(reply: Pick<SoapReply, "status" | "body">): readonly [string, Texts] {
  const { body, status } = reply;
  if (status !== 500 || body.local !== "Fault") throw new Error(`no fault: ${body.local}`);
  const detail = body.children.find(
    (child): child is XmlElement => typeof child !== "string" && child.local === "detail",
  );
  const fault = detail?.children.find((child) => typeof child !== "string");
  if (fault === undefined) throw new Error("a fault without detail");
  return [typeOf(fault), textsOf(fault)];
}

export type Texts = { readonly [name: string]: string };

function typeOf(element: XmlElement): string {
  return attributeOf(element, "type", xsi) ?? "";
}

/** Texts of the child elements by name. */
export function textsOf(element: XmlElement): Texts {
  return Object.fromEntries(
    element.children
      .filter((child) => typeof child !== "string")
      .map((child) => [child.local, textOf(child)]),
  );
}

export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element === undefined ? undefined : childrenOf(element, vim, name)[0];
}

export function listOf(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element === undefined ? [] : childrenOf(element, vim, name);
}

/** A filter that reads paths of one object. */
export function filterOf(target: Target, paths: readonly string[], type?: string): string {
  const [kind = "", ...id] = target.split(":");
  const pathSet = paths.map((path) => `<pathSet>${path}</pathSet>`).join("");
  return (
    `<specSet><propSet><type>${type ?? kind}</type>${pathSet}</propSet>` +
    `<objectSet><obj type="${kind}">${id.join(":")}</obj></objectSet></specSet>`
  );
}

const collector: Target = "PropertyCollector:propertyCollector";

export type Property = {
  readonly type: string;
  readonly element: XmlElement;
  readonly text: string;
};

/** Properties of one object that are set, by path. */
export async function read(
  client: Client,
  target: Target,
  ...paths: readonly string[]
): Promise<{ readonly [path: string]: Property }> {
  const inner = `${filterOf(target, paths)}<options/>`;
  const reply = await client.call("RetrievePropertiesEx", collector, inner);
  if (reply.status !== 200) throw new Error(reply.text);
  const content = childOf(reply.values[0], "objects");
  return Object.fromEntries(
    listOf(content, "propSet").map((prop) => {
      const element = childOf(prop, "val");
      if (element === undefined) throw new Error("no val");
      const path = textOf(childOf(prop, "name") ?? element);
      return [path, { type: typeOf(element), element, text: textOf(element) }];
    }),
  );
}

/** Text of one property; undefined when it is unset. */
export async function readText(
  client: Client,
  target: Target,
  path: string,
): Promise<string | undefined> {
  return (await read(client, target, path))[path]?.text;
}

/** Reference of the first value, as `Type:id`. */
export function targetOf(reply: SoapReply): Target {
  const [value] = reply.values;
  if (value === undefined) throw new Error(`no value: ${reply.text}`);
  return `${attributeOf(value, "type") ?? ""}:${textOf(value)}`;
}

/** State of a task, and the type of its error. */
export async function taskState(client: Client, task: Target): Promise<readonly string[]> {
  const { info } = await read(client, task, "info");
  const state = childOf(info?.element, "state");
  const fault = childOf(childOf(info?.element, "error"), "fault");
  return [
    state === undefined ? "" : textOf(state),
    ...(fault === undefined ? [] : [typeOf(fault)]),
  ];
}

/** Begins a task, lets it end, and tells its state and error; a fault answer is its type. */
export async function run(
  client: Client,
  method: string,
  target: Target,
  inner = "",
): Promise<readonly string[]> {
  const reply = await client.call(method, target, inner);
  if (reply.status !== 200) return [faultOf(reply)[0]];
  client.simulators.clock.advance(60_000);
  return taskState(client, targetOf(reply));
}

export const reconfigure = "ReconfigVM_Task";

export function nested(enabled: boolean): string {
  return `<spec><nestedHVEnabled>${enabled}</nestedHVEnabled></spec>`;
}

/** Reference of a VM by its key in the world. */
export function vmOf({ simulators }: Pick<Client, "simulators">, key: string): Target {
  const vm = simulators.world().manager.vms.find((each) => each.key === key);
  if (vm === undefined) throw new Error(`no VM ${key}`);
  return `VirtualMachine:${vm.id}`;
}

/** A VM as the world has it. */
export function vmIn({ simulators }: Pick<Client, "simulators">, key: string) {
  const vm = simulators.world().manager.vms.find((each) => each.key === key);
  if (vm === undefined) throw new Error(`no VM ${key}`);
  return vm;
}
