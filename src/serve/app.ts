/**
 * The web application: what is asked goes through the gate (`gate.ts`: which host, from where, by
 * whom), then to a page of what is there (`pages.ts`) or to something that is done (`deeds.ts`).
 * `settings.ts` says who may enter, `login.ts` and `oidc.ts` how.
 */

import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import { StoreError } from "../model/recorded/store.ts";
import { boardStyle, boardStyleName } from "../render/board/board-style.ts";
import { addDeeds } from "./deeds.ts";
import { checkForm, checkHost, harden, limitBody } from "./gate.ts";
import { addLogin, enter } from "./login.ts";
import { OidcUnreachable } from "./oidc.ts";
import { addPages } from "./pages.ts";
import { notFound, type Site, type SiteContext, type SiteEnv, say } from "./site.ts";

/** `peerOf` tells the address that a request came from. */
export function createApp(site: Site, peerOf: (context: SiteContext) => string): Hono<SiteEnv> {
  const app = new Hono<SiteEnv>();
  app.use(harden(site.secure));
  app.use(async (context, next) => {
    context.set("peer", peerOf(context));
    await next();
  });
  app.use(checkHost(site));
  // All pages stand beside each other, and so do links: below, they would lead nowhere.
  app.use(async (context, next) => {
    const depth = context.req.path.split("/").length - 2;
    if (depth === 0 || context.req.method !== "GET") return next();
    return context.redirect(`${"../".repeat(depth)}not-found`, 303);
  });
  app.get(`/${boardStyleName}`, (context) =>
    context.body(boardStyle, 200, {
      "Content-Type": "text/css; charset=utf-8",
      "Cache-Control": "public, max-age=31536000, immutable",
    }),
  );
  app.use(limitBody(site));
  addLogin(app, site);
  app.use(enter(site));
  app.use(checkForm(site));
  addPages(app, site);
  addDeeds(app, site);
  app.notFound((context) => notFound(site, context, "There is no page at this address."));
  app.onError((error, context) => fault(site, context, error));
  return app;
}

function fault(site: Site, context: SiteContext, error: Error): Response | Promise<Response> {
  if (error instanceof StoreError) {
    const { summary, detail } = error.diagnostic;
    const fix = error.fix ?? "Try again when the database is back.";
    const onward = { href: "states", label: "Try again" };
    const message = { title: "The database cannot be used", text: `${summary}. ${detail}` };
    return say(site, context, 503, { ...message, fix, onward });
  }
  if (error instanceof OidcUnreachable) {
    const fix = "Try again when it is back.";
    const onward = { href: "login", label: "Log in" };
    const message = { title: "The login server cannot be used", text: error.message };
    return say(site, context, 503, { ...message, fix, onward });
  }
  const id = randomBytes(6).toString("hex");
  site.onFault(error, id);
  const text = `A fault of vmform itself. What went wrong is in its output under ${id}.`;
  const fix = "Please report it, with that part of the output.";
  return say(site, context, 500, { title: "A fault", text, fix });
}
