/**
 * The files of one mirror, in a folder of mirrors that belongs to a configuration:
 *
 *  - `NAME.head` of which store it is, and as of when (`head.ts`)
 *  - `NAME.json`, `NAME.json.journal` and the rest as of a local store
 *
 * Everything but reading is for who holds the lock of the mirror. The snapshot is replaced before
 * its journal, and the head last, without a tip meanwhile: killed in between, there is a part of
 * the same history, or none.
 */

import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { commitFile, prepareFile, removeFile, writeFile } from "../../lib/files/atomic-file.ts";
import { errorCode, type FileSystem, readIfThere } from "../../lib/files/file-system.ts";
import type { JournalEntry } from "../../model/recorded/journal.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Seal, SealedAt } from "../../model/recorded/seal.ts";
import { encodeStateLine } from "../../state/form/encode.ts";
import { encodeJournalHeader } from "../../state/form/journal-lines.ts";
import { sealState } from "../../state/form/sealed-text.ts";
import { loadState, type StatePlace, statePaths } from "../local/state-files.ts";
import { decodeHead, encodeHead, type MirrorHead, tipOf } from "./head.ts";

export type MirrorPlace = StatePlace & {
  readonly head: string;
  /** Where the store is, for people. */
  readonly of: string;
};

const headEnding = ".head";

/** `name` has neither dots nor separators. */
export function mirrorPlace(
  fs: FileSystem,
  folder: string,
  name: string,
  of: string,
  seal: Seal,
): MirrorPlace {
  const paths = statePaths(join(folder, `${name}.json`));
  return { fs, seal, of, paths, head: join(folder, `${name}${headEnding}`) };
}

/** Names of the mirrors in a folder, in order. */
export async function mirrorNames(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return [];
    throw error;
  });
  const heads = names.filter((name) => name.endsWith(headEnding)).toSorted();
  return heads.map((name) => name.slice(0, -headEnding.length));
}

export function nameOfPlace({ head }: MirrorPlace): string {
  return basename(head).slice(0, -headEnding.length);
}

/** Undefined where there is no mirror. Throws `StateFormatError` and what the system says. */
export async function readHead({ fs, head }: MirrorPlace): Promise<MirrorHead | undefined> {
  const bytes = await readIfThere(fs, head);
  return bytes && decodeHead(bytes);
}

export async function writeHead({ fs, head }: MirrorPlace, content: MirrorHead): Promise<void> {
  await prepareFile(fs, head, encodeHead(content));
  await commitFile(fs, head);
}

/** Makes the folder: its owner's alone, and passed over by Git. */
export async function makeMirrorFolder({ fs, head }: MirrorPlace): Promise<void> {
  const folder = dirname(head);
  const ignore = join(folder, ".gitignore");
  if ((await readIfThere(fs, ignore)) !== undefined) return;
  await fs.makeFolder(dirname(folder));
  await fs.makeFolder(folder, 0o700);
  await writeFile(fs, ignore, "w", new TextEncoder().encode("*\n"));
}

const sealedAt: SealedAt = { what: "mirror" };

/** A word by which a change of keys is found. */
function sealedWord(seal: Seal): string {
  return seal.writes === "plain" ? "" : seal.seal("mirror", sealedAt);
}

/** Whether the files are sealed as they would be now. */
export function isSealedNow({ seal }: MirrorPlace, { sealed }: MirrorHead): boolean {
  if (sealed === "") return seal.writes === "plain";
  try {
    seal.open(sealed, sealedAt);
  } catch {
    return false;
  }
  return seal.isNew(sealed);
}

/** What is in the files. Throws `StoreError` for what cannot be used; undefined without any. */
export async function loadMirror(
  place: MirrorPlace,
): Promise<
  { readonly snapshot: RecordedState; readonly entries: readonly JournalEntry[] } | undefined
> {
  return loadState(place);
}

/** Puts a state in place of whatever is there, and returns the head that goes with it. */
export async function replaceMirror(
  place: MirrorPlace,
  before: MirrorHead | undefined,
  state: RecordedState,
  asOfMs: number,
): Promise<MirrorHead> {
  const { fs, paths, seal } = place;
  const { serial, journal } = state;
  const text = new TextEncoder().encode(sealState(seal, state, encodeStateLine(state)));
  const header = new TextEncoder().encode(
    encodeJournalHeader({ id: journal.id, base: journal.position }),
  );
  const filling: MirrorHead = {
    of: place.of,
    asOfMs: before?.asOfMs ?? asOfMs,
    snapshot: { serial, position: journal.position, bytes: text.length },
    journalBytes: header.length,
    sealed: sealedWord(seal),
  };
  await prepareFile(fs, paths.snapshot, text);
  await writeHead(place, filling);
  // The journal of another history goes before the snapshot that it does not continue.
  if (before?.tip?.journal.id !== journal.id) await removeFile(fs, paths.journal);
  await commitFile(fs, paths.snapshot);
  await prepareFile(fs, paths.journal, header);
  await commitFile(fs, paths.journal);
  const head = { ...filling, asOfMs, tip: tipOf(state) };
  await writeHead(place, head);
  return head;
}
