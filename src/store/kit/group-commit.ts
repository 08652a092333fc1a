/**
 * One use of a store at a time, and appends that share a write: those asked for while one is under
 * way are made durable together by the next. After a write that failed nothing more is appended.
 */

import type { JournalEntry } from "../../model/recorded/journal.ts";
import { encodeJournalEntry } from "../../state/form/journal-lines.ts";

/** Runs work when everything asked for before has ended. */
export type Exclusive = <T>(work: () => Promise<T>) => Promise<T>;

export function createExclusive(): Exclusive {
  let queue: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    return result;
  };
}

export type GroupCommitPorts = {
  readonly exclusive: Exclusive;
  /** Makes encoded entries durable, in order; resolves to the position before the first. */
  readonly write: (encoded: readonly string[]) => Promise<number>;
  /** What those are told whose entries were not written. Does not reject. */
  readonly failed: (error: unknown) => Promise<Error>;
};

export type GroupCommit = {
  /** Resolves to the position of the last entry when it is durable. */
  readonly append: (entries: readonly JournalEntry[]) => Promise<number>;
};

type Waiting = {
  readonly encoded: readonly string[];
  readonly resolve: (position: number) => void;
  readonly reject: (error: unknown) => void;
};

export function createGroupCommit(ports: GroupCommitPorts): GroupCommit {
  let waiting: Waiting[] = [];
  const flush = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    try {
      let position = await ports.write(batch.flatMap(({ encoded }) => encoded));
      for (const one of batch) {
        position += one.encoded.length;
        one.resolve(position);
      }
    } catch (error) {
      const failure = await ports.failed(error);
      for (const one of batch) one.reject(failure);
    }
  };
  return {
    append: (entries) =>
      new Promise((resolve, reject) => {
        const encoded = entries.map(encodeJournalEntry);
        waiting.push({ encoded, resolve, reject });
        if (waiting.length === 1) ports.exclusive(flush).catch(reject);
      }),
  };
}
