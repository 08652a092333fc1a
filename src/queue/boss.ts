/**
 * pg-boss on the database of a store: a queue that delivers, notices the dead, retries and
 * schedules. It has a schema of its own, and knows nothing of what a run does.
 *
 * Loaded by the commands that need it alone. It asks for a newer Node.js than the rest does; that
 * is refused at the door of those commands, not here.
 */

import { createHash } from "node:crypto";
import type { PgBoss } from "pg-boss";
import { isSystemError } from "../lib/files/system-error.ts";
import { codeOf, unreachable } from "../store/postgres/problems.ts";
import { type Access, clientOptions } from "../store/postgres/session.ts";

export type BossOptions = {
  /** Of the store. */
  readonly schema: string;
  /** Sessions besides the one that listens. */
  readonly sessionsMax?: number;
  /**
   * Whether it looks after queues and schedules: marks what the dead have left, and sends what is
   * due. Whoever only sends does not.
   */
  readonly supervises: boolean;
  /** Whether it makes its tables where they are missing or old. Default: it does. */
  readonly prepares?: boolean;
  /** The schema of pg-boss is there; a role that may make none cannot even ask for it. */
  readonly hasSchema?: boolean;
  /** What went wrong beside the calls, such as a connection that was lost and is made again. */
  readonly onError: (error: Error) => void;
};

const superviseSeconds = 5;

/**
 * Opens it, and makes its tables where they are missing or old. Throws `StoreError` where the
 * database cannot be reached, and what the driver says where it refuses. Whoever opens it stops it
 * (`stopBoss`).
 */
export async function openBoss(access: Access, options: BossOptions): Promise<PgBoss> {
  const { schema, sessionsMax = 4, supervises, prepares = true, onError } = options;
  const { hasSchema = false } = options;
  const { PgBoss: Boss } = await import("pg-boss");
  const boss = new Boss({
    ...clientOptions(access),
    schema: bossSchema(schema),
    max: sessionsMax,
    useListenNotify: true,
    supervise: supervises,
    schedule: supervises,
    migrate: prepares,
    createSchema: prepares && !hasSchema,
    superviseIntervalSeconds: superviseSeconds,
    // Each queue is looked at that often, however often there is a round.
    monitorIntervalSeconds: superviseSeconds,
    cronMonitorIntervalSeconds: superviseSeconds,
    cronWorkerIntervalSeconds: superviseSeconds,
    // It would record machines and their load, which nobody here asks for.
    registerInstance: false,
  });
  boss.on("error", onError);
  try {
    await boss.start();
  } catch (error) {
    await stopBoss(boss, 0);
    throw isConnectionLost(error) ? unreachable(access.target, error) : error;
  }
  return boss;
}

/** The server shuts down, starts, or is not there; what else it says is about what was asked. */
function isConnectionLost(error: unknown): boolean {
  if (isSystemError(error) || /^57P0[123]$/.test(codeOf(error) ?? "")) return true;
  return error instanceof Error && error.message.startsWith("Connection terminated");
}

/** Takes nothing more, and waits for what works to end, for so long. Does not reject. */
export async function stopBoss(boss: PgBoss, patienceMs: number): Promise<void> {
  const graceful = patienceMs > 0;
  await boss.stop({ graceful, timeout: Math.max(patienceMs, 1000) }).catch(() => undefined);
}

/**
 * The schema of pg-boss beside one of a store, so that the workers of one store never take what was
 * submitted to another in the same database. It takes no names that need quotes.
 */
export function bossSchema(schema: string): string {
  const plain = `${schema}_queue`;
  if (/^[a-z_][a-z0-9_]{0,49}$/.test(plain)) return plain;
  const sum = createHash("sha256").update(schema).digest("hex").slice(0, 16);
  return `vmform_${sum}_queue`;
}
