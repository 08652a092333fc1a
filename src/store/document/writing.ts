/**
 * Writing the document, by the one holder of its lock. A write whose reply was lost is settled by
 * reading: it is sent again only after the server has shown that it did not arrive, with the same
 * serial, which a server that has it already refuses.
 */

import { type Backoff, backoffMs } from "../../lib/backoff.ts";
import type { RemoteError } from "../../model/operation/remote-error.ts";
import { StoreError } from "../../model/recorded/store.ts";
import type { StateDocument } from "./document.ts";
import { gone, lockGone, overtaken, type Refused, unanswered } from "./problems.ts";
import type { DocumentServer } from "./server.ts";

export const pauses: Backoff = { baseMs: 500, capMs: 10_000 };

/** How long a write is tried while nothing tells what became of it, milliseconds. */
const patienceMs = 120_000;
/** What one try counts at most: a machine that slept meanwhile, or whose clock was set, goes on. */
const tryMaxMs = 60_000;

export type Write = {
  /** What stands there now; undefined before the first write. */
  readonly base: StateDocument | undefined;
  readonly next: StateDocument;
  /** Undefined where nothing locks. */
  readonly lockId: string | undefined;
};

/** Resolves when the document is what the server keeps. Throws `StoreError`. */
export async function writeDocument(server: DocumentServer, write: Write): Promise<void> {
  let spentMs = 0;
  let isKnown = true;
  let why: RemoteError | string = "no reply";
  for (let repeat = 0; ; repeat += 1) {
    let pauseMs = backoffMs(repeat, pauses, server.random);
    const beganMs = server.clock.now();
    if (isKnown) {
      const update = await server.send(write.next, write.base, write.lockId);
      if (update.kind === "stored") return;
      if (update.kind === "refused") throw server.refusal(update.refused, write.next);
      if (update.kind === "conflict") return settleConflict(server, write, update.refused);
      if (update.isOdd) await requireLock(server, write);
      ({ why } = update);
      pauseMs = update.pauseMs ?? pauseMs;
    }
    spentMs += pauseMs + lasted(server.clock.now() - beganMs);
    if (spentMs > patienceMs) throw unanswered(server.address, "written", why);
    await server.clock.sleep(pauseMs);
    const lookedMs = server.clock.now();
    const seen = await look(server, write);
    spentMs += lasted(server.clock.now() - lookedMs);
    if (seen === "stored") return;
    isKnown = seen === "absent";
  }
}

function lasted(ms: number): number {
  return Math.min(Math.max(0, ms), tryMaxMs);
}

/** What became of the write; `unknown` while the server cannot be asked. */
async function look(
  server: DocumentServer,
  write: Write,
): Promise<"stored" | "absent" | "unknown"> {
  let present: StateDocument | undefined;
  try {
    present = await server.fetch();
  } catch (error) {
    if (error instanceof StoreError && error.code === "STO028") return "unknown";
    throw error;
  }
  if (present?.write === write.next.write) return "stored";
  if (present?.write === write.base?.write) return "absent";
  await requireLock(server, write);
  throw present === undefined ? gone(server.address) : overtaken(server.address, undefined);
}

/** Resolves when an earlier copy of the same write is why it was refused. */
async function settleConflict(
  server: DocumentServer,
  write: Write,
  refused: Refused,
): Promise<void> {
  if ((await look(server, write)) === "stored") return;
  await requireLock(server, write);
  throw refused.status === 400
    ? server.refusal(refused, write.next)
    : overtaken(server.address, refused);
}

/**
 * Throws when the lock is another's, or nobody's. Asking for it again is the only way to find out:
 * GitLab answers a write under a lock that is gone with status 500.
 */
async function requireLock(server: DocumentServer, { lockId }: Write): Promise<void> {
  if (lockId === undefined) return;
  const reply = await server.askLock(lockId).catch((error: unknown) => {
    if (error instanceof StoreError && error.code === "STO028") return undefined;
    throw error;
  });
  if (reply?.kind === "held") throw lockGone(server.address, reply.holder);
  if (reply?.kind !== "taken") return;
  // Nobody held it, and now we do, which is not what anybody wants.
  await server.askUnlock(lockId).catch(() => undefined);
  throw lockGone(server.address, undefined);
}
