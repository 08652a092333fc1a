/** What things of a site are called in the database. */

import { quoted } from "../../store/postgres/tables.ts";
import { bossSchema } from "../boss.ts";

/** Names as they stand in statements. */
export type SiteNames = {
  /** Of the store, and of pg-boss beside it. */
  readonly schema: string;
  readonly queues: string;
  /** Who is at which site. */
  readonly site: string;
  /** Functions that a role of a site may call. */
  readonly enter: string;
  readonly sinceOf: string;
  readonly fenceOf: string;
  /** Tells that a call was answered, and of which id. */
  readonly channel: string;
};

export function siteNames(schema: string): SiteNames {
  const inSchema = (name: string): string => `${quoted(schema)}.${name}`;
  const queues = bossSchema(schema);
  return {
    schema: quoted(schema),
    queues: quoted(queues),
    site: inSchema("site"),
    enter: inSchema("site_enter"),
    sinceOf: inSchema("site_since"),
    fenceOf: inSchema("fence_of"),
    channel: `${queues}_answers`,
  };
}

/** Of the calls of a site. It has a table of its own, so that a role can be let into it alone. */
export function siteQueue(site: string): string {
  return `site-${site}`;
}
