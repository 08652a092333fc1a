/** Unpacks a zip archive: plain files and folders alone, each once, and not more than a limit. */

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Entry, ZipFile } from "yauzl";
import { crc32 } from "../lib/checksum.ts";
import { ArchiveLimit } from "./archive-limit.ts";

/** Into `target`, which is there. Throws an `Error` with the reason. */
export async function unzip(bytes: Uint8Array, target: string): Promise<void> {
  const { fromBufferPromise } = await import("yauzl");
  // What it refuses of names: absolute ones, drives, `..`; backslashes are slashes to it.
  const archive = await fromBufferPromise(Buffer.from(bytes), { lazyEntries: true });
  const limit = new ArchiveLimit();
  const seen = new Map<string, string>();
  try {
    for await (const entry of archive.eachEntry()) {
      const name = entry.fileName.replace(/\/+$/, "");
      if (!limit.has(entry.fileName, entry.uncompressedSize)) break;
      if (isSpecial(entry)) continue;
      if (entry.fileName.endsWith("/")) {
        await mkdir(join(target, name), { recursive: true });
        continue;
      }
      refuseTwice(seen, name);
      await mkdir(dirname(join(target, name)), { recursive: true });
      await writeFile(join(target, name), await contentOf(archive, entry), { flag: "wx" });
    }
    limit.check();
  } finally {
    archive.close();
  }
}

async function contentOf(archive: ZipFile, entry: Entry): Promise<Buffer> {
  const name = JSON.stringify(entry.fileName);
  if (entry.isEncrypted()) throw new Error(`${name} is encrypted`);
  const content = await buffer(await archive.openReadStreamPromise(entry));
  if (crc32(content) !== entry.crc32) throw new Error(`the checksum of ${name} is not that of it`);
  return content;
}

/** Which of two files with one name is meant, nobody can tell; some file systems fold case. */
function refuseTwice(seen: Map<string, string>, name: string): void {
  const folded = name.normalize("NFC").toLowerCase();
  const other = seen.get(folded);
  seen.set(folded, name);
  if (other === undefined) return;
  const as = other === name ? "twice" : `also as ${JSON.stringify(other)}`;
  throw new Error(`it holds ${JSON.stringify(name)} ${as}`);
}

const typeMask = 0o170000;
const plainTypes = [0, 0o100000, 0o040000];

/** Links, devices and pipes, as programs of Unix write them down; they are left out as of tar. */
function isSpecial({ versionMadeBy, externalFileAttributes }: Entry): boolean {
  const system = versionMadeBy >>> 8;
  if (system !== 3 && system !== 19) return false;
  return !plainTypes.includes((externalFileAttributes >>> 16) & typeMask);
}
