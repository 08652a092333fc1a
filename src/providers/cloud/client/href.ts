/**
 * Links as the cloud prints them, and as we keep them: the path from `/api` on. Servers print
 * another host, scheme, port or base path than the one they were asked by (wire facts A.3.3), so
 * only the path says which object is meant, and a request goes to the configured origin alone.
 */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import { attributeOf } from "../../../lib/xml/xml.ts";
import { refusal } from "../../kit/refusal.ts";

const apiStart = /^.*(?=\/api\/)/s;

/**
 * `/api/vApp/vm-1` of an absolute or rooted href; the query is kept, a slash at the end is not.
 * Undefined for anything that lies outside of an API.
 */
export function apiPathOf(href: string): string | undefined {
  // The base is never seen: a relative href without a leading slash has no place to start from.
  if (!/^(https?:\/)?\//i.test(href)) return undefined;
  if (!URL.canParse(href, "http://base.invalid")) return undefined;
  const url = new URL(href, "http://base.invalid");
  // The last one: a base path may hold `/api` itself, and no path below the API does.
  const path = url.pathname.replace(apiStart, "").replace(/\/+$/, "");
  return path.startsWith("/api/") ? `${path}${url.search}` : undefined;
}

/** As `apiPathOf`. Throws `RemoteError` of kind protocol for an href outside of the API. */
export function pathOf(href: string): string {
  const path = apiPathOf(href);
  if (path !== undefined) return path;
  throw refusal(
    "protocol",
    `the server names an address outside of its API: ${JSON.stringify(href)}`,
  );
}

/** Whether two hrefs name one object, however they are printed. */
export function sameHref(left: string, right: string): boolean {
  const path = apiPathOf(left);
  return path !== undefined && path === apiPathOf(right);
}

/** Path of an element's `href`; throws as `pathOf`, also when there is none. */
export function hrefOf(element: XmlElement): string {
  const href = attributeOf(element, "href");
  if (href !== undefined) return pathOf(href);
  throw refusal("protocol", `the server sent a ${element.local} without href`);
}
