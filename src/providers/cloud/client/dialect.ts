/**
 * Learning the words of a server from its login: the specification writes neutral words where the
 * real vendor's stand on the wire, and nothing else differs (wire facts A.0.1).
 */

import type { HttpReply } from "../../../http/call.ts";
import { attributeOf, childrenOf, type XmlElement } from "../../../lib/xml/xml.ts";
import type { Dialect } from "./client.ts";
import { apiPathOf } from "./href.ts";

const tokenHeaderPattern = /^x-.+-authorization$/;

/** Names of the headers that may carry the token; exactly one is expected. */
export function tokenHeadersOf(reply: Pick<HttpReply, "headers">): readonly string[] {
  return Object.keys(reply.headers).filter((name) => tokenHeaderPattern.test(name));
}

/**
 * The dialect of a login's reply, whose root is a `Session` and whose token header is known.
 * Undefined when no media type of a session stands anywhere in it.
 */
export function learnDialect(
  reply: Pick<HttpReply, "headers" | "setCookies">,
  session: XmlElement,
  tokenHeader: string,
): Dialect | undefined {
  const types = [attributeOf(session, "type"), reply.headers["content-type"]];
  const mediaPrefix = types.map((type) => prefixBefore(type, "session")).find(isText);
  if (mediaPrefix === undefined) return undefined;
  const token = reply.headers[tokenHeader] ?? "";
  const cookie = reply.setCookies
    .map((each) => /^([^=;]+)=([^;]*)/.exec(each))
    .find((match) => match?.[2] === token)?.[1];
  return {
    tokenHeader,
    ...(cookie === undefined ? {} : { cookie: cookie.trim() }),
    mediaPrefix,
    adminPrefix: adminPrefixOf(session) ?? siblingPrefix(mediaPrefix, "admin"),
    namespace: session.namespace,
  };
}

/** `urn:cloud:` of `urn:cloud:task:1`; undefined for any other text. */
export function urnPrefixOf(id: string | undefined): string | undefined {
  return /^(urn:[^:]+:)[^:]+:./.exec(id ?? "")?.[1];
}

/** What a reply's media type says the version is. */
export function versionOf(contentType: string | undefined): string | undefined {
  return /;\s*version\s*=\s*"?([\d.]+)/i.exec(contentType ?? "")?.[1];
}

function prefixBefore(type: string | undefined, name: string): string | undefined {
  const [essence = ""] = (type ?? "").split(";");
  const end = essence.trim().toLowerCase().lastIndexOf(`.${name}+xml`);
  return end === -1 ? undefined : essence.trim().slice(0, end + 1);
}

/** The type of the link to the root of administration names the prefix. */
function adminPrefixOf(session: XmlElement): string | undefined {
  for (const link of childrenOf(session, session.namespace, "Link")) {
    if (apiPathOf(attributeOf(link, "href") ?? "") !== "/api/admin") continue;
    const prefix = /^(application\/vnd\..+\.)[^.;]+\+xml/i.exec(attributeOf(link, "type") ?? "");
    if (prefix !== null) return prefix[1];
  }
  return undefined;
}

/** `application/vnd.vendor.cloud.` becomes `application/vnd.vendor.admin.`. */
function siblingPrefix(prefix: string, word: string): string {
  return prefix.replace(/[^.]+\.$/, `${word}.`);
}

function isText(value: string | undefined): value is string {
  return value !== undefined;
}
