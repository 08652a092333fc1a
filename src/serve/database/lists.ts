/** Who works for the database, and the audit of the board. */

import type { AuditEntry, BoardAgent, Paging, Rows } from "../../model/board/board.ts";
import type { Reading } from "./reading.ts";
import { msOf } from "./runs.ts";
import { auditInsert } from "./tables.ts";

const workersMax = 200;

export async function readAgents({ query, tables }: Reading): Promise<readonly BoardAgent[]> {
  const { site, submission } = tables;
  const sites = await query("read", (has) =>
    has("site")
      ? `select name, agent, version, read_only::text, host, ${msOf("since")},
          ${msOf("clock_timestamp()")},
          exists (select from pg_locks as held
            where held.locktype = 'advisory' and held.granted and held.objsubid = 2
              and held.database = (select oid from pg_database where datname = current_database())
              and held.classid = site.tableoid and held.objid::text = site.id::text)::text
        from ${site} as site order by name`
      : undefined,
  );
  const agents = sites.map((row): BoardAgent => {
    const [name, agent, version, readOnly, host, since, now, present] = row;
    const isThere = present === "true" && agent !== null;
    const only = readOnly === "true" ? "only reads; " : "";
    return {
      ...{ kind: "agent", name: name ?? "", version: version ?? "" },
      detail: `${only}${host ?? "no agent was there yet"}`,
      seenMs: Number((isThere ? now : since) ?? 0),
      now: isThere ? "present" : "absent",
    };
  });
  const workers = await query("read", (has) =>
    has("submission")
      ? `select worker, ${msOf("max(coalesce(ended_at, started_at))")},
          count(*) filter (where status = 'running')::text
        from ${submission} where worker is not null
        group by worker order by max(started_at) desc limit ${workersMax}`
      : undefined,
  );
  return [
    ...agents,
    ...workers.map(([name, seen, running]): BoardAgent => {
      const count = Number(running ?? 0);
      return {
        ...{ kind: "worker", name: name ?? "", version: "" },
        detail: count === 0 ? "" : `runs ${count}`,
        seenMs: Number(seen ?? 0),
        now: count === 0 ? "idle" : "at work",
      };
    }),
  ];
}

export async function readAudit(
  { query, tables: { audit } }: Reading,
  { offset, limit }: Paging,
): Promise<Rows<AuditEntry>> {
  const [[total = "0"] = []] = await query("read", () => `select count(*)::text from ${audit}`);
  const rows = await query(
    "read",
    () => `select ${msOf("at")}, who, via, action, subject, detail from ${audit} as audit
      order by audit.number desc offset $1 limit $2`,
    [offset, limit],
  );
  return {
    total: Number(total),
    rows: rows.map(([at, who, via, action, subject, detail]) => ({
      ...{ atMs: Number(at), who: who ?? "", via: via ?? "", action: action ?? "" },
      ...{ subject: subject ?? "", detail: detail ?? "" },
    })),
  };
}

export async function noteAudit(
  { query, tables }: Reading,
  { who, via, action, subject, detail }: Omit<AuditEntry, "atMs">,
): Promise<void> {
  const values = [who, via, action, subject, detail].map(storable);
  await query("write", () => auditInsert(tables), values);
}

/** Names come from outside, and no text of the database takes this character. */
function storable(text: string): string {
  return text.replaceAll("\0", "\\0").slice(0, 2000);
}
