/** Who is at a site: an agent is there as long as its session has the lock of the site. */

import type { SiteLook } from "../../model/fleet/site-agent.ts";
import type { Presence } from "../../sites/call.ts";
import { codeOf } from "../../store/postgres/problems.ts";
import type { Session } from "../../store/postgres/session.ts";
import { type SiteNames, siteNames } from "./names.ts";

/**
 * Of one site ($1): its columns are texts, in the order in which `presenceIn` takes them, and each
 * has a name of its own, since rows are read by names as well.
 */
export function presenceStatement({ site }: SiteNames): string {
  return `select agent, version, protocol::text, read_only::text, host,
      (extract(epoch from since) * 1000)::text as since_ms, skew_ms::text,
      (extract(epoch from ${seenOf("site")}) * 1000)::text as seen_ms,
      ${isSilent("site")}::text as silent
    from ${site} as site
    where name = $1 and agent is not null and exists (
      select from pg_locks as held
      where held.locktype = 'advisory' and held.granted and held.objsubid = 2
        and held.database = (select oid from pg_database where datname = current_database())
        and held.classid = site.tableoid and held.objid::text = site.id::text)`;
}

/** When the agent was last heard of; null in a table of an earlier version, which has no times. */
export function seenOf(site: string): string {
  return `(to_jsonb(${site}) ->> 'seen')::timestamptz`;
}

/** Several times what an agent that is alive leaves between two signs of life. */
export const silentMs = 20_000;

/** It has its place, and gives no sign of life: it is stopped, hangs, or is cut off. */
export function isSilent(site: string): string {
  return `coalesce(${seenOf(site)} < clock_timestamp() - make_interval(secs => ${silentMs / 1000}),
      false)`;
}

export function presenceIn(cells: readonly unknown[]): Presence {
  const [agent, version, protocol, readOnly, host, sinceMs, skewMs, seenMs, silent] = cells;
  return {
    agent: String(agent),
    version: String(version),
    protocol: Number(protocol),
    readOnly: readOnly === "true",
    host: String(host),
    sinceMs: Number(sinceMs),
    skewMs: Number(skewMs),
    ...(silent === "true" ? { silentSinceMs: Number(seenMs) } : {}),
  };
}

/** Where no agent was ever started, there is none at any site. Throws what the session does. */
export async function lookAtSites(
  session: Session,
  schema: string,
  sites: readonly string[],
): Promise<readonly SiteLook[]> {
  const looks: SiteLook[] = [];
  for (const site of sites) {
    const rows = await session
      .query(presenceStatement(siteNames(schema)), [site])
      .catch((error: unknown) => {
        if (/^(42P01|3F000)$/.test(codeOf(error) ?? "")) return [];
        throw error;
      });
    const [row] = rows;
    looks.push(row === undefined ? { site } : { site, agent: presenceIn(row) });
  }
  return looks;
}

/** How far the clock of this machine is ahead of that of the database, milliseconds. */
export async function skewOf(session: Pick<Session, "query">): Promise<number> {
  const beforeMs = Date.now();
  const [[now = null] = []] = await session.query(
    "select extract(epoch from clock_timestamp())::text",
  );
  return (beforeMs + Date.now()) / 2 - Number(now) * 1000;
}
