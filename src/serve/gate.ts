/**
 * What every request passes first: headers that leave a page no more than it needs, the host it
 * was asked by (or a page elsewhere could give its own name our address), and of a form where it
 * came from.
 */

import type { MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { isSame } from "./sessions.ts";
import { type Site, type SiteEnv, say } from "./site.ts";

type Middleware = MiddlewareHandler<SiteEnv>;

/** No script at all, no frame, nothing from elsewhere, and nothing that is kept. */
export function harden(secure: boolean): Middleware {
  const headers = secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
    // With `no-referrer`, browsers say of a form that it comes from nowhere.
    referrerPolicy: "same-origin",
    xFrameOptions: "DENY",
    strictTransportSecurity: secure ? "max-age=31536000" : false,
    permissionsPolicy: { camera: [], geolocation: [], microphone: [], payment: [] },
  });
  return async (context, next) => {
    context.header("Cache-Control", "no-store");
    await headers(context, next);
  };
}

export function checkHost(site: Site): Middleware {
  return async (context, next) => {
    const host = context.req.header("host") ?? "";
    if (site.hosts.has(host.toLowerCase())) return next();
    return say({ version: site.version }, context, 421, {
      title: "Another host",
      text: "This server is not known by the name it was asked by.",
      fix: "Whoever started it can name that: vmform serve --url",
    });
  };
}

const bodyBytesMax = 64 * 1024;

/**
 * A proxy may send on a form without saying how long it is. What hono has for that makes a request
 * of a request, which that of Node.js is not.
 */
export function limitBody(site: Site): Middleware {
  return async (context, next) => {
    const { raw } = context.req;
    if (raw.method === "GET" || raw.method === "HEAD" || raw.body === null) return next();
    const body = await shortBody(raw);
    if (body === undefined) {
      const text = "What was sent is longer than any form of these pages.";
      return say(site, context, 413, { title: "Too long", text });
    }
    const { url, method, headers } = raw;
    context.req.raw = new Request(url, { method, headers, body });
    return next();
  };
}

/** Undefined where it is too long, of which no more is read. */
async function shortBody({ headers, body }: Request): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (Number(headers.get("content-length") ?? 0) > bodyBytesMax) return undefined;
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    length += part.length;
    if (length > bodyBytesMax) return undefined;
  }
  return Buffer.concat(parts, length);
}

/** Of all that is not only read: the origin, the form, and the token of its session. */
export function checkForm(site: Site): Middleware {
  return async (context, next) => {
    const { method } = context.req;
    if (method === "GET" || method === "HEAD") return next();
    if (method !== "POST") {
      const text = "Pages are read, and forms are sent.";
      return say(site, context, 405, { title: "Nothing to do", text });
    }
    const type = context.req.header("content-type") ?? "";
    if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
      return say(site, context, 415, { title: "No form", text: "What was sent is no form." });
    }
    const { token } = await context.req.parseBody();
    const isOurs = site.origins.has(context.req.header("origin") ?? "");
    const session = context.get("session");
    if (isOurs && typeof token === "string" && isSame(token, session.token)) return next();
    return say(site, context, 403, {
      title: "Nothing was done",
      text: "The form did not come from a page of this session.",
      fix: "Open the page again, and send its form from there.",
      onward: { href: "states", label: "All states" },
    });
  };
}
