/** Who works for the database, and the audit of the board. */

import type { AuditEntry, BoardAgent, Paging, Rows } from "../../model/board/board.ts";
import type { WorkerThere } from "../../model/fleet/worker-look.ts";
import { isSilent, seenOf } from "../../queue/sites/presence.ts";
import { workerIn, workersStatement } from "../../queue/workers.ts";
import type { Reading } from "./reading.ts";
import { msOf } from "./runs.ts";
import { auditInsert } from "./tables.ts";

const workersMax = 200;

export async function readAgents({ query, tables }: Reading): Promise<readonly BoardAgent[]> {
  const { site, worker } = tables;
  const sites = await query("read", (has) =>
    has("site")
      ? `select name, agent, version, read_only::text, host, ${msOf("since")},
          ${msOf("clock_timestamp()")},
          exists (select from pg_locks as held
            where held.locktype = 'advisory' and held.granted and held.objsubid = 2
              and held.database = (select oid from pg_database where datname = current_database())
              and held.classid = site.tableoid and held.objid::text = site.id::text)::text,
          ${isSilent("site")}::text, (extract(epoch from ${seenOf("site")}) * 1000)::text
        from ${site} as site order by name`
      : undefined,
  );
  const agents = sites.map((row): BoardAgent => {
    const [name, agent, version, readOnly, host, since, now, present, silent, seen] = row;
    const isThere = present === "true" && agent !== null;
    const only = readOnly === "true" ? "only reads; " : "";
    return {
      ...{ kind: "agent", name: name ?? "", version: version ?? "" },
      detail: `${only}${host ?? "no agent was there yet"}`,
      seenMs: Number(seen ?? (isThere ? now : since) ?? 0),
      now: isThere ? (silent === "true" ? "silent" : "present") : "absent",
    };
  });
  const workers = await query("read", (has) =>
    has("worker") ? workersStatement(worker, workersMax) : undefined,
  );
  return [...agents, ...workers.map((row) => workerOf(workerIn(row)))];
}

function workerOf(worker: WorkerThere): BoardAgent {
  const { name, version, node, host, atOnce, running, seenMs, silent } = worker;
  const now = silent ? "silent" : running === 0 ? "idle" : "at work";
  const detail = `${host}, Node.js ${node.replace(/^v/, "")}; has ${running} of ${atOnce} runs`;
  return { kind: "worker", name, version, detail, seenMs, now };
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
