/**
 * A host manager as tests script it, from the wire facts alone: it knows sessions, views and
 * properties of the objects it is given, and answers every other method as it is told.
 */

import { createHttpClients } from "../../../../src/http/client.ts";
import { attributeOf, childrenOf, textOf, type XmlElement } from "../../../../src/lib/xml/xml.ts";
import { parseXml } from "../../../../src/lib/xml/xml-reader.ts";
import type { Clock } from "../../../../src/model/clock.ts";
import type { ProviderSession } from "../../../../src/model/provider/provider.ts";
import type { Value } from "../../../../src/model/value/value.ts";
import { managerProvider } from "../../../../src/providers/manager/provider.ts";
import { providerPorts, type TestPorts, testPorts } from "../../../helpers/http-ports.ts";
import {
  type Reply,
  reply,
  type ScriptedServer,
  type SeenRequest,
  startServer,
} from "../../../helpers/scripted-server.ts";

export const testUser = "DOMAIN\\admin";
export const testPassword = "pass&wörd<";

export type TestObject = {
  readonly type: string;
  readonly id: string;
  /** `val` elements by path; an unset one is left out. */
  readonly values: { readonly [path: string]: string };
  /** Type of the fault by path: what may not be read. */
  readonly refused?: { readonly [path: string]: string };
};

export type SoapRequest = {
  readonly method: string;
  /** Id of the object that the method is called on. */
  readonly self: string;
  readonly element: XmlElement;
  readonly request: SeenRequest;
};

export type Answered = Reply | "reset" | "hang";

export type ManagerScript = {
  readonly objects?: readonly TestObject[];
  /** Paths that this server is too old for. */
  readonly unknownPaths?: readonly string[];
  /** Of one more than `InvalidProperty` for the whole call: 200, and a `missingSet`. */
  readonly softUnknown?: boolean;
  /** Before anything the server does itself. `count` from 0 by method. */
  readonly handle?: (call: SoapRequest, count: number) => Answered | undefined;
  readonly isHost?: boolean;
  readonly apiVersion?: string;
  /** Objects of a page, whatever was asked for. */
  readonly pageMax?: number;
  readonly settings?: { readonly [name: string]: Value };
  readonly clock?: Clock;
  readonly basePath?: string;
  /** Reads of an expired session are answered 200 with a fault for each property. */
  readonly softExpiry?: boolean;
};

export type ScriptedManager = {
  readonly server: ScriptedServer;
  readonly ports: TestPorts;
  readonly session: ProviderSession;
  /** Cookies of sessions that are alive. */
  readonly alive: Set<string>;
  /** As `PowerOnVM_Task vm-12`, in order of arrival; those of the login are left out. */
  calls(): readonly string[];
  /** Bodies of the requests of a method. */
  bodies(method: string): readonly string[];
  close(): Promise<void>;
};

export function text(value: string, type = "xsd:string"): string {
  return `<val xsi:type="${type}">${value}</val>`;
}

export function ref(type: string, id: string): string {
  return `<val type="${type}" xsi:type="ManagedObjectReference">${id}</val>`;
}

export function refs(type: string, ids: readonly string[]): string {
  const all = ids.map(
    (id) => `<ManagedObjectReference type="${type}">${id}</ManagedObjectReference>`,
  );
  return `<val xsi:type="ArrayOfManagedObjectReference">${all.join("")}</val>`;
}

export function envelope(body: string): string {
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n<soapenv:Envelope ' +
    'xmlns:soapenc="http://schemas.xmlsoap.org/soap/encoding/" ' +
    'xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" ' +
    'xmlns:xsd="http://www.w3.org/2001/XMLSchema" ' +
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n' +
    `<soapenv:Body>\n${body}\n</soapenv:Body>\n</soapenv:Envelope>`
  );
}

/** A reply of a method; `inner` is what its element holds. */
export function answer(method: string, inner = ""): Reply {
  const body = envelope(`<${method}Response xmlns="urn:vim25">${inner}</${method}Response>`);
  return { headers: { "content-type": "text/xml; charset=utf-8" }, body };
}

/** A fault, as servers write it: the reply has status 500. */
export function fault(type: string, words = "", fields = ""): Reply {
  const detail =
    type === ""
      ? ""
      : `<detail><${type}Fault xmlns="urn:vim25" xsi:type="${type}">${fields}</${type}Fault></detail>`;
  const body = envelope(
    `<soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>${words}</faultstring>` +
      `${detail}</soapenv:Fault>`,
  );
  return { status: 500, headers: { "content-type": "text/xml; charset=utf-8" }, body };
}

export function taskAnswer(method: string, task = "task-7"): Reply {
  return answer(method, `<returnval type="Task">${task}</returnval>`);
}

export async function startManager(script: ManagerScript = {}): Promise<ScriptedManager> {
  const alive = new Set<string>();
  const counts = new Map<string, number>();
  const seen: SoapRequest[] = [];
  const state: State = { script, alive, pages: new Map(), logins: 0, views: 0 };
  const server = await startServer((request, response) => {
    const call = readCall(request);
    seen.push(call);
    const count = counts.get(call.method) ?? 0;
    counts.set(call.method, count + 1);
    const answered = script.handle?.(call, count) ?? own(state, call);
    if (answered === "reset") response.destroy();
    else if (answered !== "hang") reply(response, answered);
  });
  const ports = testPorts(script.clock === undefined ? {} : { clock: script.clock });
  const session = await managerProvider
    .create({ ...providerPorts(ports), http: createHttpClients(ports) })
    .open({
      url: `${server.origin}${script.basePath ?? ""}/sdk`,
      user: testUser,
      password: testPassword,
      ...script.settings,
    });
  return {
    server,
    ports,
    session,
    alive,
    calls: () =>
      seen
        .filter(({ method }) => !["RetrieveServiceContent", "Login"].includes(method))
        .map(({ method, self }) => `${method} ${self}`),
    bodies: (method) =>
      seen.filter((call) => call.method === method).map((call) => call.request.body),
    close: async () => {
      await session.close();
      await server.close();
    },
  };
}

function readCall(request: SeenRequest): SoapRequest {
  if (request.method !== "POST" || !request.url.endsWith("/sdk")) {
    return { method: `${request.method} ${request.url}`, self: "", element: nothing, request };
  }
  const [body] = elements(parseXml(request.body));
  const [element = nothing] = body === undefined ? [] : elements(body);
  return { method: element.local, self: textIn(element, "_this"), element, request };
}

const nothing: XmlElement = { namespace: "", local: "", attributes: [], children: [] };

type State = {
  readonly script: ManagerScript;
  readonly alive: Set<string>;
  /** Rest of a list by its token. */
  readonly pages: Map<string, readonly string[]>;
  logins: number;
  views: number;
};

function own(state: State, call: SoapRequest): Answered {
  const { method, request, element } = call;
  const { script, alive } = state;
  if (method === "RetrieveServiceContent") return answer(method, contentXml(script));
  if (method === "Login") return logIn(state, element);
  if (!alive.has(request.headers.cookie ?? "")) {
    if (method === "RetrievePropertiesEx" && script.softExpiry === true) return softExpiry(element);
    return fault(
      "NotAuthenticated",
      "The session is not authenticated.",
      "<object type='Folder'>group-d1</object><privilegeId>System.View</privilegeId>",
    );
  }
  switch (method) {
    case "Logout":
      alive.delete(request.headers.cookie ?? "");
      return answer(method);
    case "CurrentTime":
      return answer(method, "<returnval>2026-01-02T03:04:05.678901Z</returnval>");
    case "CreateContainerView":
      state.views += 1;
      return answer(
        method,
        `<returnval type="ContainerView">session[5]view-${state.views}</returnval>`,
      );
    case "DestroyView":
      return answer(method);
    case "RetrievePropertiesEx":
      return retrieve(state, element);
    case "ContinueRetrievePropertiesEx":
      return page(state, method, state.pages.get(textIn(element, "token")) ?? []);
    default:
      return fault("InvalidRequest", `no method ${method}`);
  }
}

function logIn(state: State, element: XmlElement): Answered {
  if (textIn(element, "userName") !== testUser || textIn(element, "password") !== testPassword) {
    return fault(
      "InvalidLogin",
      "Cannot complete login due to an incorrect user name or password.",
    );
  }
  state.logins += 1;
  const cookie = `vmware_soap_session="5f0c-${state.logins}/aa+b="`;
  state.alive.add(cookie);
  const session =
    `<returnval><key>52a1-${state.logins}</key><userName>${testUser}</userName>` +
    "<fullName>Admin</fullName><loginTime>2026-01-02T03:04:05Z</loginTime></returnval>";
  const headers = { "set-cookie": `${cookie}; Path=/; HttpOnly; Secure;` };
  const done = answer("Login", session);
  return { ...done, headers: { ...done.headers, ...headers } };
}

function contentXml({ isHost, apiVersion = "6.5" }: ManagerScript): string {
  const id = (manager: string, host: string): string => (isHost === true ? host : manager);
  const entries = [
    ["Folder", "rootFolder", id("group-d1", "ha-folder-root")],
    ["PropertyCollector", "propertyCollector", id("propertyCollector", "ha-property-collector")],
    ["ViewManager", "viewManager", "ViewManager"],
  ];
  const late = [
    ["SessionManager", "sessionManager", id("SessionManager", "ha-sessionmgr")],
    ["TaskManager", "taskManager", id("TaskManager", "ha-taskmgr")],
    ...(isHost === true ? [] : [["AlarmManager", "alarmManager", "AlarmManager"]]),
  ];
  const xml = (all: readonly (readonly string[])[]): string =>
    all.map(([type, name, value]) => `<${name} type="${type}">${value}</${name}>`).join("");
  const about =
    `<about><name>Manager</name><fullName>Manager 6.5</fullName><apiType>${id("VirtualCenter", "HostAgent")}` +
    `</apiType><apiVersion>${apiVersion}</apiVersion></about>`;
  return `<returnval>${xml(entries)}${about}${xml(late)}</returnval>`;
}

/** Wire facts D.3: no fault, but one for each property. */
function softExpiry(element: XmlElement): Answered {
  const specs = many(element, "specSet");
  const paths = specs.flatMap((spec) =>
    many(spec, "propSet").flatMap((set) => many(set, "pathSet")),
  );
  const missing = paths.map((path) => missingXml(textOf(path), "NotAuthenticated"));
  const object = `<objects><obj type="Folder">group-d1</obj>${missing.join("")}</objects>`;
  return answer("RetrievePropertiesEx", `<returnval>${object}</returnval>`);
}

function missingXml(path: string, type: string): string {
  return (
    `<missingSet><path>${path}</path><fault><fault xsi:type="${type}"></fault>` +
    `<localizedMessage>words of ${type}</localizedMessage></fault></missingSet>`
  );
}

function retrieve(state: State, element: XmlElement): Answered {
  const { objects = [], unknownPaths = [], softUnknown } = state.script;
  const [spec = nothing] = many(element, "specSet");
  const paths = new Map(
    many(spec, "propSet").map((set) => [
      textIn(set, "type"),
      many(set, "pathSet").map((path) => textOf(path)),
    ]),
  );
  const unknown = unknownPaths.find((path) =>
    [...paths.values()].some((all) => all.includes(path)),
  );
  if (unknown !== undefined && softUnknown !== true) {
    return fault("InvalidProperty", "", `<name>${unknown}</name>`);
  }
  const named = many(spec, "objectSet").map((set) => textIn(set, "obj"));
  const isView = named.some((id) => id.includes("view-"));
  const found: TestObject[] = [];
  for (const id of isView ? objects.map((object) => object.id) : named) {
    const object = objects.find((each) => each.id === id);
    if (object === undefined) {
      const words = "The object has already been deleted or has not been completely created";
      return fault("ManagedObjectNotFound", words, `<obj type="VirtualMachine">${id}</obj>`);
    }
    if (paths.has(object.type)) found.push(object);
  }
  const shown = found.map((object) =>
    objectXml(object, paths.get(object.type) ?? [], unknownPaths),
  );
  const max =
    state.script.pageMax ?? Number(textIn(many(element, "options")[0] ?? nothing, "maxObjects"));
  state.pages.clear();
  for (let at = max; at < shown.length; at += max) state.pages.set(String(at), shown.slice(at));
  return page(
    state,
    "RetrievePropertiesEx",
    shown.slice(0, max),
    shown.length > max ? String(max) : "",
  );
}

function page(state: State, method: string, rest: readonly string[], next?: string): Answered {
  const max = state.script.pageMax ?? rest.length;
  const tokens = [...state.pages]
    .filter(([, left]) => left.length < rest.length)
    .map(([token]) => token);
  const token = next ?? tokens[0] ?? "";
  const tokenXml = token === "" ? "" : `<token>${token}</token>`;
  return answer(method, `<returnval>${tokenXml}${rest.slice(0, max).join("")}</returnval>`);
}

function objectXml(
  { type, id, values, refused = {} }: TestObject,
  paths: readonly string[],
  unknownPaths: readonly string[],
): string {
  const shown = paths.flatMap((path) =>
    values[path] === undefined || refused[path] !== undefined || unknownPaths.includes(path)
      ? []
      : [`<propSet><name>${path}</name>${values[path]}</propSet>`],
  );
  const missing = paths.flatMap((path) => {
    if (unknownPaths.includes(path)) return [missingXml(path, "InvalidProperty")];
    const why = refused[path];
    return why === undefined ? [] : [missingXml(path, why)];
  });
  return `<objects><obj type="${type}">${id}</obj>${shown.join("")}${missing.join("")}</objects>`;
}

function elements(element: XmlElement): readonly XmlElement[] {
  return element.children.filter((child): child is XmlElement => typeof child !== "string");
}

function many(element: XmlElement, local: string): readonly XmlElement[] {
  return childrenOf(element, element.namespace, local);
}

function textIn(element: XmlElement, local: string): string {
  const [child] = many(element, local);
  return child === undefined ? "" : textOf(child);
}

/** Local names of the elements below a request's own, in order, such as `spec/deviceChange`. */
export function shapeOf(body: string, below: string): readonly string[] {
  const find = (element: XmlElement): XmlElement | undefined =>
    element.local === below
      ? element
      : elements(element).reduce<XmlElement | undefined>(
          (got, each) => got ?? find(each),
          undefined,
        );
  const root = find(parseXml(body)) ?? nothing;
  return elements(root).map((each) => {
    const type = attributeOf(each, "type", "http://www.w3.org/2001/XMLSchema-instance");
    return type === undefined ? each.local : `${each.local}:${type}`;
  });
}
