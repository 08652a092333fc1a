/**
 * Sealed files: killed at any file operation of beginning with encryption nothing is lost, and what
 * was cut or changed is told as damage, never as another key, nor as something that is not sealed.
 */

import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import type { Seal } from "../../../../src/model/recorded/seal.ts";
import { StoreError } from "../../../../src/model/recorded/store.ts";
import { decodeState } from "../../../../src/state/form/encode.ts";
import { openState } from "../../../../src/state/form/sealed-text.ts";
import { amount } from "../../../helpers/amount.ts";
import { keySeal, plainSeal, testKey } from "../../../helpers/seals.ts";
import { entries, foldStored, initial, openStore, path, problemOf, stateAt } from "./fixtures.ts";
import { crash, createMemoryFileSystem, type MemoryFileSystem } from "./memory-file-system.ts";

const sealing = (): Seal => keySeal({ unencrypted: "read" });

/** Snapshot at 4, backup at 2, a journal of entries 3 to 6. */
async function recorded(seal: Seal): Promise<MemoryFileSystem> {
  const fs = createMemoryFileSystem();
  const store = openStore(fs, { seal });
  const fence = await store.lock("apply", 0);
  await store.compact(initial, fence);
  await store.append(entries(1, 3), fence);
  await store.compact(stateAt(2), fence);
  await store.append(entries(4, 6), fence);
  await store.compact(stateAt(4), fence);
  await store.unlock(fence);
  return fs;
}

async function reseal(fs: MemoryFileSystem, seal: Seal): Promise<void> {
  const store = openStore(fs, { seal });
  const fence = await store.lock("state reseal", 0);
  const state = foldStored(await store.read());
  if (state === undefined) throw new Error("nothing is recorded");
  await store.compact(state, fence);
  await store.unlock(fence);
}

/** Files in which a part of an entry or of a state can be read. */
function telling(fs: MemoryFileSystem): readonly string[] {
  return fs.paths().filter((one) => /"last"|"kind"/.test(fs.text(one) ?? ""));
}

/** A line of a journal with its checksum made right. */
function checked(line: string): string {
  if (line === "") return line;
  const body = line.replace(/^\{"crc":"[0-9a-f]{8}",/, "");
  return `{"crc":"${crc32(body).toString(16).padStart(8, "0")}",${body}`;
}

test("killed at any file operation of beginning, all is there, and the next one ends it", async () => {
  const whole = await recorded(plainSeal());
  expect(telling(whole).length).toBeGreaterThan(2);
  const before = whole.calls.length;
  await reseal(whole, sealing());
  expect(telling(whole)).toEqual([]);
  const calls = whole.calls.length - before;
  expect(calls).toBeGreaterThan(20);
  for (let call = 1; call <= calls; call += 1) {
    for (const moment of ["before", "partly", "after"] as const) {
      const fs = await recorded(plainSeal());
      fs.arm({ call: fs.calls.length + call, moment, error: crash });
      await reseal(fs, sealing()).catch((error: unknown) => {
        expect(String(error)).toContain(crash);
      });
      fs.restart();
      fs.arm(undefined);
      expect(foldStored(await openStore(fs, { seal: sealing() }).read())).toEqual(stateAt(6));
      await reseal(fs, sealing());
      const { snapshot, journal, remarks } = await openStore(fs, { seal: keySeal() }).read();
      expect(remarks).toBeUndefined();
      expect(foldStored({ snapshot, journal })).toEqual(stateAt(6));
      expect(telling(fs), `call ${call}, ${moment}`).toEqual([]);
    }
  }
});

test("a file that was cut or changed at any byte is damaged, and the backup is the way out", async () => {
  const sound = (await recorded(keySeal())).text(path) ?? "";
  const step = amount(11, 3);
  let damaged = 0;
  for (let at = 0; at < sound.length - 2; at += step) {
    const other = sound[at] === "b" ? "c" : "b";
    const flipped = `${sound.slice(0, at)}${other}${sound.slice(at + 1)}`;
    for (const content of [sound.slice(0, at), flipped]) {
      const fs = await recorded(keySeal());
      fs.put(path, content);
      const outcome = await outcomeOf(fs);
      // Only the words that tell people what the file is may be changed.
      const isLabel = content === flipped && outcome.startsWith("read");
      if (!isLabel) damaged += 1;
      const expected = isLabel ? /^read$/ : /^STO00[13] copy \S+\.backup over/;
      expect(outcome, `at ${at} of ${sound.length}`).toMatch(expected);
    }
  }
  expect(damaged).toBeGreaterThan((1.8 * sound.length) / step);
});

/** `read` where all of it is there, else the code and the way out. */
async function outcomeOf(fs: MemoryFileSystem): Promise<string> {
  try {
    const state = foldStored(await openStore(fs, { seal: keySeal() }).read());
    return JSON.stringify(state) === JSON.stringify(stateAt(6)) ? "read" : "something else";
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return `${error.code} ${/copy \S+ over/.exec(error.fix ?? "")?.[0] ?? "no way out"}`;
  }
}

test("the backup of a damaged file is of use, with the journal, as without encryption", async () => {
  const fs = await recorded(keySeal());
  fs.put(path, fs.text(`${path}.backup`) ?? "");
  expect(foldStored(await openStore(fs, { seal: keySeal() }).read())).toEqual(stateAt(6));
});

test("an emergency copy is sealed, and is a state that can be pushed", async () => {
  const fs = await recorded(keySeal());
  const error = await openStore(fs, { seal: keySeal() }).writeEmergencyCopy(
    stateAt(6),
    new Error("no space"),
  );
  expect(error.code).toBe("STO014");
  const copy = fs.paths().find((one) => one.includes("emergency")) ?? "";
  expect(telling(fs)).toEqual([]);
  expect(decodeState(openState(keySeal(), fs.text(copy) ?? ""))).toEqual(stateAt(6));
});

test("with another key nothing is said of damage, nor of a backup", async () => {
  const fs = await recorded(keySeal());
  const other = keySeal({ first: testKey("2") });
  const problem = await problemOf(openStore(fs, { seal: other }).read());
  expect(problem.code).toBe("STO061");
  expect(problem.message).toContain("not damaged");
});

test("entries that changed their places, or are of another state, are refused", async () => {
  const fs = await recorded(keySeal());
  const journal = `${path}.journal`;
  const [header = "", ...lines] = (fs.text(journal) ?? "").split("\n");
  const tokens = lines.join("\n").match(/"vmform-sealed[^"]+"/g) ?? [];
  expect(tokens.length).toBe(6);
  const [one = "", two = ""] = tokens.slice(-2);
  const swapped = lines.map((line) =>
    checked(line.replace(one, "@").replace(two, one).replace("@", two)),
  );
  fs.put(journal, [header, ...swapped].join("\n"));
  expect((await problemOf(openStore(fs, { seal: keySeal() }).read())).code).toBe("STO064");
});
