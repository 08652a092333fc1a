/** Taking the lock of a document away from a run that is gone: it writes nothing any more. */

import { StoreError } from "../../model/recorded/store.ts";
import { notLocked } from "../kit/problems.ts";
import { noDocument, type StateDocument } from "./document.ts";
import { lockIdOf } from "./lock-words.ts";
import { lockedByAnother, otherLock } from "./problems.ts";
import type { DocumentServer } from "./server.ts";
import { writeDocument } from "./writing.ts";

type Remote = {
  readonly options: {
    readonly newId: () => string;
    readonly host: string;
    readonly pid: number;
    readonly user: string;
  };
  readonly server: DocumentServer;
  readonly address: string;
};

/**
 * Takes the lock away from whoever holds it by this id. A write under that lock comes first: where
 * the server refuses a serial that it has, it refuses the old holder's next write by that alone,
 * also while nobody has taken the lock yet.
 */
export async function forceUnlock(remote: Remote, lockId: string): Promise<void> {
  const { options, server, address } = remote;
  const { host, pid, user: who } = options;
  const ownId = lockIdOf({ operation: "force-unlock", who, host, pid }, options.newId());
  const reply = await server.askLock(ownId);
  if (reply.kind !== "held") {
    if (reply.kind === "taken") await server.askUnlock(ownId);
    throw notLocked(address);
  }
  const { holder } = reply;
  if (holder !== undefined && holder.id !== lockId) throw lockedByAnother(address, lockId, holder);
  await shutOut(remote, lockId);
  const refused = await server.askUnlock(lockId);
  if (refused !== undefined) throw otherLock(address, lockId, refused);
}

/** The old holder may be writing: whoever is second is refused, and looks again. */
async function shutOut({ options, server }: Remote, lockId: string): Promise<void> {
  for (let count = 1; ; count += 1) {
    let base: StateDocument | undefined;
    try {
      base = await server.fetch();
    } catch (error) {
      // State of another tool, or a document that is damaged: its lock is given back as it is.
      if (error instanceof StoreError && error.code !== "STO028") return;
      throw error;
    }
    const { holder: _, ...content } = base ?? { ...noDocument, lineage: options.newId() };
    const next = { ...content, serial: content.serial + 1, write: options.newId() };
    try {
      return await writeDocument(server, { base, next, lockId });
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "STO027" || count === 5) throw error;
    }
  }
}
