/** Pages that are read. */

import type { Hono } from "hono";
import { boardStatuses, type Paging, type RunFilter } from "../model/board/board.ts";
import { agentsPage, auditPage } from "../render/board/lists-page.ts";
import { runPage } from "../render/board/run-page.ts";
import { approvalsPage, runsPage } from "../render/board/runs-page.ts";
import { statePage, statesPage } from "../render/board/states-page.ts";
import { notFound, type Site, type SiteContext, type SiteEnv, say, show } from "./site.ts";

const rowsOfPage = 50;
const runsOfState = 20;

export function addPages(app: Hono<SiteEnv>, site: Site): void {
  const { board, now, types } = site;
  app.use(async (context, next) => {
    const bad = Object.values(context.req.query()).find((text) => !isUsable(text));
    if (bad === undefined) return next();
    const text = "The address has a part that no page knows.";
    const onward = { href: "states", label: "All states" };
    return say(site, context, 400, { title: "Not a page", text, onward });
  });
  app.get("/", (context) => context.redirect("states", 303));
  app.get("/states", async (context) => {
    const text = context.req.query("text") ?? "";
    const paging = pagingOf(context);
    const rows = await board.states(text, paging);
    return show(site, context, statesPage(rows, text, paging, now()));
  });
  app.get("/state", async (context) => {
    const name = context.req.query("name") ?? "";
    const state = await board.state(name);
    if (state === undefined) return notFound(site, context, "No state of this name is recorded.");
    const runs = await board.runs({ state: name }, { offset: 0, limit: runsOfState });
    return show(site, context, statePage(state, runs, await board.drift(name), now()));
  });
  app.get("/runs", async (context) => {
    const filter = filterOf(context);
    const paging = pagingOf(context);
    return show(site, context, runsPage(await board.runs(filter, paging), filter, paging, now()));
  });
  app.get("/approvals", async (context) => {
    const paging = pagingOf(context);
    const rows = await board.runs({ status: "needs-approval" }, paging);
    return show(site, context, approvalsPage(rows, paging, now()));
  });
  app.get("/run", async (context) => {
    const run = await board.run(context.req.query("id") ?? "");
    if (run === undefined) return notFound(site, context, "No run with this id is recorded.");
    const { person, token } = context.get("session");
    return show(site, context, runPage(run, types, { person, token, nowMs: now() }));
  });
  app.get("/agents", async (context) =>
    show(site, context, agentsPage(await board.agents(), now())),
  );
  app.get("/audit", async (context) => {
    const paging = pagingOf(context);
    return show(site, context, auditPage(await board.audit(paging), paging));
  });
}

/** Names and ids are shorter, and no database takes what has no characters. */
function isUsable(text: string): boolean {
  return text.length <= 1000 && !text.includes("\0");
}

function pagingOf(context: SiteContext): Paging {
  const from = context.req.query("from") ?? "";
  return { offset: /^\d{1,9}$/.test(from) ? Number(from) : 0, limit: rowsOfPage };
}

function filterOf(context: SiteContext): RunFilter {
  const { state = "", status = "", text = "" } = context.req.query();
  const known = boardStatuses.find((word) => word === status);
  return {
    ...(state === "" ? {} : { state }),
    ...(known === undefined ? {} : { status: known }),
    ...(text === "" ? {} : { text }),
  };
}
