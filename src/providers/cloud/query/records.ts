/**
 * Records of one page of a query. All values are text; names of elements depend on the type that
 * was asked for, so every child that is no link is a record (wire facts A.2.1, A.2.4, A.2.5).
 */

import type { HttpReply } from "../../../http/call.ts";
import { unreadableReply } from "../../../http/reply.ts";
import { attributeOf, childrenOf, type XmlElement } from "../../../lib/xml/xml.ts";
import { RemoteError } from "../../../model/operation/remote-error.ts";
import type { QueryRecord } from "../client/client.ts";
import { pathOf } from "../client/href.ts";

export type QueryPage = {
  readonly records: readonly QueryRecord[];
  /** Matching records of all pages; absent where the server does not say. */
  readonly total?: number;
  /** Number of the page, from 1, and its size, as the server used them. */
  readonly page?: number;
  readonly pageSize?: number;
  readonly hasNext: boolean;
};

/** Children of a result that are no records. */
const notRecords: ReadonlySet<string> = new Set(["Link", "Metadata"]);

/** Throws `RemoteError` of kind protocol for what is no result, or counts in no numbers. */
export function readPage(reply: HttpReply, root: XmlElement, namespace: string): QueryPage {
  const isResult = /^QueryResult|Records$|References$/.test(root.local);
  if (root.namespace !== namespace || !isResult) {
    throw unreadableReply(reply, "read", "instead of the result of a query");
  }
  const [total, page, pageSize] = ["total", "page", "pageSize"].map((name) => count(root, name));
  const links = childrenOf(root, namespace, "Link");
  const records = root.children.filter(
    (child): child is XmlElement => typeof child !== "string" && !notRecords.has(child.local),
  );
  return {
    records: records.map((element) => readRecord(element)),
    ...(total === undefined ? {} : { total }),
    ...(page === undefined ? {} : { page }),
    ...(pageSize === undefined ? {} : { pageSize }),
    hasNext: links.some((link) => attributeOf(link, "rel") === "nextPage"),
  };
}

/** A VM of a vApp template: no VM that runs (wire facts A.2.5). */
export function isTemplate({ href, attributes }: QueryRecord): boolean {
  return (
    attributes.isVAppTemplate?.toLowerCase() === "true" ||
    href?.startsWith("/api/vAppTemplate/") === true
  );
}

function readRecord(element: XmlElement): QueryRecord {
  const attributes: { [name: string]: string } = {};
  for (const { namespace, local, value } of element.attributes) {
    if (namespace === "") attributes[local] = value;
  }
  const href = attributes.href === undefined ? undefined : pathOf(attributes.href);
  const key =
    href ?? attributes.id ?? JSON.stringify(attributes, Object.keys(attributes).toSorted());
  return { element: element.local, ...(href === undefined ? {} : { href }), key, attributes };
}

function count(root: XmlElement, name: string): number | undefined {
  const text = attributeOf(root, name);
  if (text === undefined) return undefined;
  const number = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  const isPlace = name === "total" || number >= 1;
  if (Number.isSafeInteger(number) && isPlace) return number;
  throw new RemoteError({
    kind: "protocol",
    effect: "none",
    message: `the result of a query has ${name} ${JSON.stringify(text)}, which is no number`,
  });
}
