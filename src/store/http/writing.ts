/**
 * Writing the document, by the one holder of its lock. A write whose reply was lost is settled by
 * reading: it is sent again only after the server has shown that it did not arrive, with the same
 * serial, which a server that has it already refuses.
 */

import { backoffMs } from "../../lib/backoff.ts";
import type { RemoteError } from "../../model/operation/remote-error.ts";
import { StoreError } from "../../model/recorded/store.ts";
import { encodeDocument, type StateDocument } from "./document.ts";
import { gone, lockGone, overtaken, type Refused, tooLarge, unanswered } from "./problems.ts";
import {
  askLock,
  askUnlock,
  fetchDocument,
  pauses,
  refusalOf,
  type StateServer,
  sendDocument,
} from "./state-server.ts";

/** How long a write is tried while nothing tells what became of it, milliseconds. */
const patienceMs = 120_000;

/** Of a write that comes too late: the serial is taken, or another lock is the present one. */
const conflicts: ReadonlySet<number> = new Set([400, 409, 412, 422, 423]);

export type Write = {
  /** What stands there now; undefined before the first write. */
  readonly base: StateDocument | undefined;
  readonly next: StateDocument;
  /** Undefined where nothing locks. */
  readonly lockId: string | undefined;
};

/** Resolves when the document is what the server keeps. Throws `StoreError`. */
export async function writeDocument(server: StateServer, write: Write): Promise<void> {
  const deadlineMs = server.clock.now() + patienceMs;
  let isKnown = true;
  let why: RemoteError | string = "no reply";
  for (let repeat = 0; ; repeat += 1) {
    let pauseMs = backoffMs(repeat, pauses, server.random);
    if (isKnown) {
      const update = await sendDocument(server, write.next, write.lockId);
      if (update.kind === "stored") return;
      if (update.kind === "refused") return settleRefusal(server, write, update.refused);
      if ((update.status ?? 0) === 500) await requireLock(server, write);
      ({ why } = update);
      pauseMs = update.pauseMs ?? pauseMs;
    }
    if (server.clock.now() + pauseMs > deadlineMs) {
      throw unanswered(server.place.address, "written", why);
    }
    await server.clock.sleep(pauseMs);
    const seen = await look(server, write);
    if (seen === "stored") return;
    isKnown = seen === "absent";
  }
}

/** What became of the write; `unknown` while the server cannot be asked. */
async function look(server: StateServer, write: Write): Promise<"stored" | "absent" | "unknown"> {
  let present: StateDocument | undefined;
  try {
    present = await fetchDocument(server);
  } catch (error) {
    if (error instanceof StoreError && error.code === "STO028") return "unknown";
    throw error;
  }
  if (present?.write === write.next.write) return "stored";
  if (present?.write === write.base?.write) return "absent";
  await requireLock(server, write);
  throw present === undefined
    ? gone(server.place.address)
    : overtaken(server.place.address, undefined);
}

/** Resolves when an earlier copy of the same write is why it was refused. */
async function settleRefusal(server: StateServer, write: Write, refused: Refused): Promise<void> {
  const { address } = server.place;
  if (refused.status === 413) {
    throw tooLarge(address, Buffer.byteLength(encodeDocument(write.next)), refused);
  }
  if (conflicts.has(refused.status)) {
    if ((await look(server, write)) === "stored") return;
    await requireLock(server, write);
    if (refused.status !== 400) throw overtaken(address, refused);
  }
  throw refusalOf(server, "written", refused);
}

/**
 * Throws when the lock is another's, or nobody's. Asking for it again is the only way to find out:
 * GitLab answers a write under a lock that is gone with status 500.
 */
async function requireLock(server: StateServer, { lockId }: Write): Promise<void> {
  if (lockId === undefined) return;
  const reply = await askLock(server, lockId).catch((error: unknown) => {
    if (error instanceof StoreError && error.code === "STO028") return undefined;
    throw error;
  });
  if (reply?.kind === "held") throw lockGone(server.place.address, reply.holder);
  if (reply?.kind !== "taken") return;
  // Nobody held it, and now we do, which is not what anybody wants.
  await askUnlock(server, lockId).catch(() => undefined);
  throw lockGone(server.place.address, undefined);
}

/** Whether somebody else's lock, or nobody's, would let a write through. */
export async function fences(
  server: StateServer,
  present: StateDocument,
  lockId: string,
): Promise<boolean | undefined> {
  const update = await sendDocument(server, present, `${lockId}-not`);
  if (update.kind === "stored") return false;
  return update.kind === "refused" && conflicts.has(update.refused.status) ? true : undefined;
}
