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

/** Ids of calls that came to this agent. */
export type CallsHere = {
  /** It works on them, or has their answer to give: some of them were sent. */
  readonly unanswered: Set<string>;
  /** It has told that they are lost, whether they come after all or not. */
  readonly lost: Set<string>;
};

type End = {
  readonly options: { readonly site: string; readonly agent: string };
  readonly names: SiteNames;
  /** Of the site's queue. */
  readonly table: string;
  readonly calls: CallsHere;
};

/**
 * Their ids, from now on among the lost: those that were taken since this agent has been there, and
 * have not come to it. What another one took before may have been sent by it. Throws what the
 * session does.
 */
export async function lostCalls(session: Session, end: End): Promise<readonly string[]> {
  const { names, table, options, calls } = end;
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
  const lost = rows.flatMap(([id]) => {
    return typeof id === "string" && !calls.unanswered.has(id) ? [id] : [];
  });
  for (const id of lost) calls.lost.add(id);
  return lost;
}
