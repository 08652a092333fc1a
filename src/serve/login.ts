/** Who it is: by the token that was printed, by the headers of a proxy, or by OIDC. */

import { isUtf8 } from "node:buffer";
import type { Hono, MiddlewareHandler } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Person } from "../model/board/board.ts";
import type { Message } from "../render/board/message-page.ts";
import { ownPath } from "./own-path.ts";
import { createRefusals } from "./refusals.ts";
import { type BrowserSession, isSame, sessionMs } from "./sessions.ts";
import type { LoginSettings } from "./settings.ts";
import { type Site, type SiteContext, type SiteEnv, type Status, say } from "./site.ts";

type HeaderLogin = Extract<LoginSettings, { readonly kind: "header" }>;

/** Pages that are open to whoever has no session yet. */
export function addLogin(app: Hono<SiteEnv>, site: Site): void {
  const isNoted = createRefusals(site.now);
  const noteRefusal: NoteRefusal = async (who, detail) => {
    if (isNoted()) await note(site, who, "login refused", detail);
  };
  if (site.login.kind === "token") {
    app.get("/login", (context) => byToken(site, context, noteRefusal));
  }
  const { oidc } = site;
  if (oidc === undefined) return;
  app.get("/login", async (context) => oidc.begin(context, context.req.query("to")));
  app.get("/oidc-callback", async (context) => {
    const came = await oidc.end(context);
    if ("refused" in came) {
      await noteRefusal(came.who, came.refused.text);
      return say(site, context, 403, came.refused);
    }
    return welcome(site, context, came.person, came.to);
  });
}

type NoteRefusal = (who: string, detail: string) => Promise<void>;

async function byToken(
  site: Site,
  context: SiteContext,
  noteRefusal: NoteRefusal,
): Promise<Response> {
  const given = context.req.query("token") ?? "";
  if (!isSame(given, site.token)) {
    if (given !== "") await noteRefusal("", `a wrong token, from ${context.get("peer")}`);
    return say(site, context, 401, askForToken);
  }
  return welcome(site, context, { who: site.owner, role: "operate", via: "token" }, "states");
}

const askForToken: Message = {
  title: "Log in",
  text: "This server is open to whoever has the address that it printed when it was started.",
  fix: "Open that address. Without it: stop vmform serve, and start it again.",
};

/**
 * Not a redirect: a browser that came from elsewhere would follow it without the cookie, which goes
 * along with requests of our own pages alone.
 */
async function welcome(
  site: Site,
  context: SiteContext,
  person: Person,
  to: string,
): Promise<Response> {
  begin(site, context, person);
  await note(site, person.who, "login", `as ${person.role}, from ${context.get("peer")}`);
  return say(site, context, 200, {
    title: "Logged in",
    text: `As ${person.who}, with the role ${person.role}.`,
    onward: { href: to, label: "Go on" },
    onwardSeconds: 0,
  });
}

function begin(site: Site, context: SiteContext, person: Person): BrowserSession {
  const { sessions, secure, cookie } = site;
  sessions.end(getCookie(context, cookie.name) ?? "");
  const session = sessions.begin(person);
  setCookie(context, cookie.name, session.id, {
    ...{ httpOnly: true, sameSite: "Strict", path: cookie.path, secure },
    maxAge: sessionMs / 1000,
  });
  return session;
}

async function note(site: Site, who: string, action: string, detail: string): Promise<void> {
  const via = site.login.kind;
  await site.board.note({ who, via, action, subject: "", detail });
}

/** Lets in whoever has a session, or headers of a proxy that is trusted. */
export function enter(site: Site): MiddlewareHandler<SiteEnv> {
  return async (context, next) => {
    const { login, sessions, cookie } = site;
    const known = sessions.find(getCookie(context, cookie.name));
    if (login.kind === "header") {
      const came = personOf(context, login);
      if ("refused" in came) return say(site, context, came.status, came.refused);
      const { who, role } = came.person;
      const isKnown = known?.person.who === who && known.person.role === role;
      context.set("session", isKnown ? known : begin(site, context, came.person));
      return next();
    }
    if (known !== undefined) {
      context.set("session", known);
      return next();
    }
    return ask(site, context);
  };
}

/** Logged out, or come from elsewhere, in which case the cookie comes along with the next try. */
function ask(site: Site, context: SiteContext): Response | Promise<Response> {
  const { method, header, path, url } = {
    method: context.req.method,
    header: context.req.header("sec-fetch-site"),
    path: context.req.path.slice(1),
    url: new URL(context.req.url),
  };
  const here = method === "GET" ? `${path}${url.search}` : "states";
  if (method === "GET" && header === "cross-site" && ownPath.test(here)) {
    const text = "You come from another site.";
    const onward = { href: here, label: "Go on" };
    return say(site, context, 200, { title: "One moment", text, onward, onwardSeconds: 0 });
  }
  if (site.login.kind === "token") return say(site, context, 401, askForToken);
  const to = ownPath.test(here) ? `?to=${encodeURIComponent(here)}` : "";
  return say(site, context, 401, {
    title: "Log in",
    text: "These pages are for people who have logged in.",
    onward: { href: `login${to}`, label: "Log in" },
  });
}

export function logOut(site: Site, context: SiteContext): Response | Promise<Response> {
  site.sessions.end(context.get("session").id);
  const { name, path } = site.cookie;
  deleteCookie(context, name, { path, secure: site.secure });
  const again = site.login.kind === "oidc";
  return say(site, context, 200, {
    title: "Logged out",
    text: "This browser has no session any more.",
    ...(again ? { onward: { href: "login", label: "Log in again" } } : {}),
  });
}

type Came = { readonly person: Person } | { readonly refused: Message; readonly status: Status };

function personOf(context: SiteContext, login: HeaderLogin): Came {
  const refuse = (status: Status, text: string, fix: string): Came => {
    return { status, refused: { title: "Not let in", text, fix } };
  };
  const { userHeader, rolesHeader, trusts, roleOf } = login;
  if (!trusts(context.get("peer"))) {
    const text = "This server is reached through a proxy, and not from this address.";
    return refuse(403, text, "Use the address of the proxy.");
  }
  const users = valuesOf(context, userHeader);
  const [who = ""] = users;
  if (users.length > 1) {
    const text = `The header ${userHeader} came more than once: one of them is not of the proxy.`;
    return refuse(400, text, "Let the proxy replace it, and not add to it.");
  }
  if (who === "") {
    const text = `The proxy does not say who you are: the header ${userHeader} is missing.`;
    return refuse(401, text, "Log in at the proxy.");
  }
  const groups = rolesHeader === undefined ? [] : valuesOf(context, rolesHeader);
  const role = roleOf(groups.flatMap((text) => text.split(/[,;]/)).map((text) => text.trim()));
  if (role !== undefined) return { person: { who, role, via: "header" } };
  const text = `You are logged in as ${who}, and none of your groups has a role here.`;
  return refuse(403, text, "Ask whoever runs this server: vmform serve --role GROUP=see");
}

/** As they came, before anything joined them. Browsers and proxies send UTF-8. */
function valuesOf(context: SiteContext, name: string): readonly string[] {
  const { incoming } = context.env;
  const raw = incoming.rawHeaders;
  const found: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]?.toLowerCase() !== name.toLowerCase()) continue;
    const bytes = Buffer.from(raw[at + 1] ?? "", "latin1");
    found.push((isUtf8(bytes) ? bytes.toString("utf8") : bytes.toString("latin1")).trim());
  }
  return found;
}
