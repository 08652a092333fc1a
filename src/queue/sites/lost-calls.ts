/**
 * Calls that an agent took and never got: the server took them for it, and the reply was lost with
 * the connection. Nobody works on them and nobody else gets them, so that whoever has asked would
 * wait as long as such a call may take.
 */

import { codeOf } from "../../store/postgres/problems.ts";
import type { Session } from "../../store/postgres/session.ts";
import { type SiteNames, siteQueue } from "./names.ts";

/** A reply is there long before. */
const replySeconds = 10;

type End = {
  readonly options: { readonly site: string; readonly agent: string };
  readonly names: SiteNames;
  /** Of the site's queue. */
  readonly table: string;
  /** Calls that the agent does. */
  readonly working: ReadonlySet<string>;
};

/**
 * Their ids: those that were taken since this agent has been there, and are not at work. What
 * another one took before may have been sent by it. Throws what the session does.
 */
export async function lostCalls(session: Session, end: End): Promise<readonly string[]> {
  const { names, table, options, working } = end;
  const { site, agent } = options;
  const rows = await session
    .query(
      `select id::text from ${names.queues}."${table}"
        where name = $1 and state = 'active' and started_on >= ${names.sinceOf}($2, $3)
          and started_on < clock_timestamp() - make_interval(secs => $4)`,
      [siteQueue(site), site, agent, String(replySeconds)],
    )
    .catch((error: unknown) => {
      // A database of an earlier version has no such function, and the role may not make it.
      if (codeOf(error) === "42883") return [];
      throw error;
    });
  return rows.flatMap(([id]) => (typeof id === "string" && !working.has(id) ? [id] : []));
}
