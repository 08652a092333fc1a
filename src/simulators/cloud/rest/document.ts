/** XML bodies: elements in the dialect's namespaces, and replies with them. */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import { writeXml } from "../../../lib/xml/xml-writer.ts";
import type { SimulatorReply } from "../../kit/answer.ts";
import type { Dialect } from "./dialect.ts";

/** What the writer of a document must know. */
export type Draft = {
  readonly dialect: Dialect;
  /** API version of the reply. */
  readonly version: string;
  /** Origin of every href. */
  readonly base: string;
  readonly prefixed: boolean;
};

export type AttributeValues = {
  readonly [name: string]: string | number | boolean | undefined;
};

type Children = readonly (XmlElement | string | undefined)[];

const schemaInstance = "http://www.w3.org/2001/XMLSchema-instance";

/** An element of any namespace; undefined attributes and children are left out. */
export function elementIn(
  namespace: string,
  local: string,
  attributes: AttributeValues,
  children: Children = [],
): XmlElement {
  return {
    namespace,
    local,
    attributes: Object.entries(attributes).flatMap(([name, value]) =>
      value === undefined ? [] : [{ namespace: "", local: name, value: String(value) }],
    ),
    children: children.filter((child) => child !== undefined).filter((child) => child !== ""),
  };
}

/** An element of the API's namespace. */
export function elementOf(
  draft: Draft,
  local: string,
  attributes: AttributeValues,
  children: Children = [],
): XmlElement {
  return elementIn(draft.dialect.namespace, local, attributes, children);
}

export function mediaType(draft: Draft, name: string): string {
  return `${draft.dialect.mediaPrefix}${name}+xml`;
}

export function adminType(draft: Draft, name: string): string {
  return `${draft.dialect.adminPrefix}${name}+xml`;
}

/** A link; without `type` where the request it leads to has no body (wire facts A.3.3). */
export function linkTo(
  draft: Draft,
  rel: string,
  path: string,
  type?: string,
  name?: string,
): XmlElement {
  return elementOf(draft, "Link", { rel, type, name, href: `${draft.base}${path}` });
}

export type ReplyOptions = {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
};

/**
 * A reply with a document. Roots carry `xsi:schemaLocation` with an address that leads nowhere, as
 * recorded (wire facts A.0.3).
 */
export function documentReply(
  draft: Draft,
  type: string,
  root: XmlElement,
  { status = 200, headers = {} }: ReplyOptions = {},
): SimulatorReply {
  const location = `${root.namespace} http://10.0.0.1/api/v1.5/schema/master.xsd`;
  const located: XmlElement = {
    ...root,
    attributes: [
      ...root.attributes,
      { namespace: schemaInstance, local: "schemaLocation", value: location },
    ],
  };
  const body = writeXml(located, {
    [schemaInstance]: "xsi",
    ...(draft.prefixed ? { [draft.dialect.namespace]: "ns6" } : {}),
  });
  return {
    status,
    headers: { "content-type": `${type};version=${draft.version}`, ...headers },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}\n`,
  };
}

/** Success without a body; its type is a wildcard (wire facts A.1.4, A.5). */
export function emptyReply(draft: Draft): SimulatorReply {
  const type = `application/*+xml;version=${draft.version}`;
  return { status: 204, headers: { "content-type": type }, body: "" };
}

/** Two `Date` headers, of the simulated time, as recorded of real servers (wire facts A.0.3). */
export function dated(reply: SimulatorReply, nowMs: number): SimulatorReply {
  const date = new Date(nowMs).toUTCString();
  return { ...reply, headers: { ...reply.headers, date: [date, date] } };
}

const offsetMs = 2 * 3_600_000;

/** A moment with an offset that is not UTC's: clients must compare moments, not texts. */
export function timestamp(ms: number): string {
  return new Date(ms + offsetMs).toISOString().replace("Z", "+02:00");
}
