/** All mirrors of one folder: what each holds, and putting one aside. */

import { dirname } from "node:path";
import { removeFile, writeFile } from "../../lib/files/atomic-file.ts";
import { errorCode } from "../../lib/files/file-system.ts";
import { ownLock, takeLock } from "../../lib/lock/lock.ts";
import { LockHeldError, type LockSurroundings } from "../../lib/lock/lock-file.ts";
import type { ShelvedMirror } from "../../model/recorded/mirror.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Seal } from "../../model/recorded/seal.ts";
import { foldAll } from "../../state/fold.ts";
import { encodeState } from "../../state/form/encode.ts";
import { sealState } from "../../state/form/sealed-text.ts";
import { describeSystemError, locked } from "../kit/problems.ts";
import { loadMirror, type MirrorPlace, nameOfPlace, readHead } from "./files.ts";
import { noSuchMirror, notPutAside } from "./problems.ts";

/** Does not throw for what one of them holds. */
export async function lookAtMirror(place: MirrorPlace): Promise<ShelvedMirror> {
  const name = nameOfPlace(place);
  try {
    const head = await readHead(place);
    const loaded = await loadMirror(place);
    if (head === undefined || loaded === undefined) return { name, problem: "its files are gone" };
    const { snapshot, entries } = loaded;
    const { of, asOfMs, fork } = head;
    const end = snapshot.journal.position + entries.length;
    const position = fork?.base.journal.position ?? end;
    const objects = foldAll(snapshot, entries).objects.length;
    const held = { of, asOfMs, position, objects };
    if (fork === undefined) return { name, held };
    const { base: _, ...who } = fork;
    return { name, held, fork: { ...who, entries: end - position } };
  } catch (error) {
    return { name, problem: describeSystemError(error) };
  }
}

export type PutAside = {
  /** All that was in it, to be pushed; undefined where nothing was applied from it. */
  readonly state: string | undefined;
  /** Its files as they are, where they cannot be read. */
  readonly files: readonly string[];
};

export type PutAsideOptions = {
  readonly around: LockSurroundings;
  readonly user: string;
  /** What the path of the file begins with. */
  readonly beside: string;
  /** How the file is encrypted. */
  readonly seal: Seal;
};

/** Takes a mirror away. Nothing that only it holds is lost. Throws `StoreError`. */
export async function putAside(place: MirrorPlace, options: PutAsideOptions): Promise<PutAside> {
  const { around, user } = options;
  const { fs, paths, head } = place;
  const bytes = await fs.read(head).catch(() => undefined);
  if (bytes === undefined) throw noSuchMirror(nameOfPlace(place));
  try {
    const info = ownLock(around, "state mirror", user);
    const lock = await takeLock(around, paths.lock, info, around.clock.now());
    try {
      return await putAsideLocked(place, options);
    } finally {
      await lock.release();
    }
  } catch (error) {
    if (error instanceof LockHeldError) throw locked(paths.snapshot, error.holder);
    if (errorCode(error) === undefined) throw error;
    throw notPutAside(nameOfPlace(place), error);
  }
}

async function putAsideLocked(place: MirrorPlace, options: PutAsideOptions): Promise<PutAside> {
  const { fs, paths, head } = place;
  const all = [head, paths.snapshot, paths.journal, paths.runs];
  const time = new Date(options.around.clock.now()).toISOString().replaceAll(/[:.]/g, "-");
  let unmerged: RecordedState | undefined;
  try {
    const found = await readHead(place);
    const loaded = found?.fork === undefined ? undefined : await loadMirror(place);
    unmerged = loaded && foldAll(loaded.snapshot, loaded.entries);
    if (found?.fork !== undefined && unmerged === undefined) throw new Error("its files are gone");
  } catch {
    const files: string[] = [];
    for (const path of all) {
      const aside = `${path}.aside-${time}`;
      await fs.rename(path, aside).then(
        () => files.push(aside),
        (error: unknown) => {
          if (errorCode(error) !== "ENOENT") throw error;
        },
      );
    }
    return { state: undefined, files };
  }
  const state = unmerged && (await writeState(place, options, unmerged, time));
  for (const path of all) await removeFile(fs, path);
  return { state, files: [] };
}

async function writeState(
  { fs }: MirrorPlace,
  { beside, seal }: PutAsideOptions,
  state: RecordedState,
  time: string,
): Promise<string> {
  const path = `${beside}.mirror-${time}`;
  await fs.makeFolder(dirname(path));
  const text = sealState(seal, state, encodeState(state));
  await writeFile(fs, path, "wx", new TextEncoder().encode(text));
  return path;
}
