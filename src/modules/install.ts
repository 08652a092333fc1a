/** `vmform init` fetches modules: what is locked already stays as it was locked. */

import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModuleInstaller } from "../commands/environment.ts";
import { hashOfFolder } from "./content-hash.ts";
import { type Download, FetchError, fetchModule } from "./fetch.ts";
import { lockPath, lockText, readLock } from "./lock-file.ts";
import { packageFolder, packagesFolder } from "./packages.ts";
import { parseSource } from "./source.ts";

type FetchOutcome = Awaited<ReturnType<ModuleInstaller["fetch"]>>;

export type InstallerOptions = {
  readonly root: string;
  /** What was locked may be another content now. */
  readonly upgrade: boolean;
  readonly download: Download;
};

export function moduleInstaller({ root, upgrade, download }: InstallerOptions): ModuleInstaller {
  const lock = new Map(readLock(root));
  const write = async (): Promise<void> => {
    if (lock.size === 0) await rm(lockPath(root), { force: true });
    else await writeFile(lockPath(root), lockText(lock));
  };
  const fetch = async (text: string): Promise<FetchOutcome> => {
    const parsed = parseSource(text);
    if (!parsed.ok || parsed.source.kind === "local") {
      return { ok: false, detail: `${text} is not fetched.` };
    }
    const { source } = parsed;
    const { origin } = source;
    const scratch = join(packagesFolder(root), `.new-${randomUUID()}`);
    await mkdir(packagesFolder(root), { recursive: true });
    try {
      await fetchModule(source, scratch, download);
      const hash = hashOfFolder(scratch);
      const known = lock.get(origin);
      if (known !== undefined && known !== hash && !upgrade) {
        const detail = `${origin} is not what was locked: its content is ${hash}, not ${known}.`;
        const fix = "If that is right: vmform init --upgrade";
        return { ok: false, detail, fix };
      }
      const folder = packageFolder(root, hash);
      // What is there under that name may have been changed.
      if (existsSync(folder)) await rm(folder, { recursive: true, force: true });
      await rename(scratch, folder);
      lock.set(origin, hash);
      await write();
      return { ok: true, fetched: { origin, hash } };
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      const detail = `${origin} cannot be fetched: ${error.message}.`;
      return { ok: false, detail, ...(error.fix === undefined ? {} : { fix: error.fix }) };
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  };
  const prune = async (sources: readonly string[]): Promise<void> => {
    const used = new Set(
      sources.flatMap((text) => {
        const parsed = parseSource(text);
        return parsed.ok && parsed.source.kind !== "local" ? [parsed.source.origin] : [];
      }),
    );
    const left = [...lock.keys()].filter((origin) => !used.has(origin));
    for (const origin of left) lock.delete(origin);
    if (left.length > 0) await write();
  };
  return { fetch, prune };
}
