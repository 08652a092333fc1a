/**
 * Another client of the same host manager, made of `fetch` and text: it changes things behind our
 * back, and reads what the provider says it has done. Shares no code with the provider but the
 * reading of XML.
 */

import { textOf, type XmlElement } from "../../src/lib/xml/xml.ts";
import { parseXml } from "../../src/lib/xml/xml-reader.ts";
import { password, user } from "./vcsim.ts";

export type SoapPeer = {
  /** Element that answers, without its envelope. Throws an error that names the fault. */
  call(method: string, type: string, id: string, inner?: string): Promise<XmlElement>;
  /** As `call`, for a method whose task is followed to its end. */
  task(method: string, type: string, id: string, inner?: string): Promise<void>;
  /** Value of one property; undefined while it is not set. */
  property(type: string, id: string, path: string): Promise<XmlElement | undefined>;
  /** Type of the fault that a method is refused with; undefined where it is done. */
  faultOf(method: string, type: string, id: string, inner?: string): Promise<string | undefined>;
};

const open =
  '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" ' +
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' +
  'xmlns:xsd="http://www.w3.org/2001/XMLSchema"><soapenv:Body>';
const close = "</soapenv:Body></soapenv:Envelope>";

class FaultError extends Error {
  readonly type: string;
  constructor(method: string, type: string, body: string) {
    super(`${method} was refused: ${type}\n${body}`);
    this.type = type;
  }
}

export async function connectPeer(origin: string): Promise<SoapPeer> {
  let cookie = "";
  const call: SoapPeer["call"] = async (method, type, id, inner = "") => {
    const self = `<_this type="${type}">${id}</_this>`;
    const reply = await fetch(`${origin}/sdk`, {
      method: "POST",
      headers: { "content-type": "text/xml", soapaction: '"urn:vim25/6.5"', cookie },
      body: `${open}<${method} xmlns="urn:vim25">${self}${inner}</${method}>${close}`,
    });
    const body = await reply.text();
    cookie ||= (reply.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    // The element is named after the method's own word for the fault, or not at all.
    const fault = /<(?:\w+:)?detail>\s*<[^>]*\btype="(?:\w+:)?(\w+)"/.exec(body)?.[1];
    if (!reply.ok) throw new FaultError(method, fault ?? String(reply.status), body);
    const [content] = elementsOf(find(parseXml(body), "Body"));
    if (content === undefined) throw new Error(`${method} answered nothing: ${body}`);
    return content;
  };
  const property: SoapPeer["property"] = async (type, id, path) => {
    const set = `<propSet><type>${type}</type><pathSet>${path}</pathSet></propSet>`;
    const object = `<objectSet><obj type="${type}">${id}</obj></objectSet>`;
    const collector = ["PropertyCollector", collectorId] as const;
    const inner = `<specSet>${set}${object}</specSet><options/>`;
    const answer = await call("RetrievePropertiesEx", ...collector, inner);
    return find(answer, "val");
  };
  const content = await call("RetrieveServiceContent", "ServiceInstance", "ServiceInstance");
  const idOf = (name: string): string => textOf(needed(find(content, name), name));
  const collectorId = idOf("propertyCollector");
  const escaped = password.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const login = `<userName>${user}</userName><password>${escaped}</password>`;
  await call("Login", "SessionManager", idOf("sessionManager"), login);
  return {
    call,
    property,
    task: async (method, type, id, inner) => {
      const task = textOf(needed(find(await call(method, type, id, inner), "returnval"), method));
      for (;;) {
        const info = await property("Task", task, "info");
        const state = textOf(needed(find(needed(info, "info"), "state"), "state"));
        if (state === "success") return;
        if (state === "error") throw new Error(`${method} of ${id} failed`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    faultOf: async (...request) => {
      try {
        await call(...request);
        return undefined;
      } catch (error) {
        if (error instanceof FaultError) return error.type;
        throw error;
      }
    },
  };
}

/** The first element of a name, however deep. */
export function find(element: XmlElement, local: string): XmlElement | undefined {
  for (const child of elementsOf(element)) {
    if (child.local === local) return child;
    const found = find(child, local);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** All elements of a name, however deep. */
export function findAll(element: XmlElement | undefined, local: string): readonly XmlElement[] {
  return elementsOf(element).flatMap((child) => [
    ...(child.local === local ? [child] : []),
    ...findAll(child, local),
  ]);
}

function elementsOf(element: XmlElement | undefined): readonly XmlElement[] {
  return (element?.children ?? []).filter((child) => typeof child !== "string");
}

/** Its text; throws where there is none of that name. */
export function textAt(element: XmlElement | undefined, local: string): string {
  return textOf(needed(element && find(element, local), local));
}

function needed(element: XmlElement | undefined, name: string): XmlElement {
  if (element === undefined) throw new Error(`there is no ${name}`);
  return element;
}
