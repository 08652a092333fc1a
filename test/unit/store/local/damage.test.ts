/** Damaged, missing and foreign files: never "no resources", always a way out that works. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StoreError } from "../../../../src/model/recorded/store.ts";
import { encodeState } from "../../../../src/state/form/encode.ts";
import { encodeRun } from "../../../../src/state/form/run-lines.ts";
import { runRecord } from "../../../stores/conformance.ts";
import { objectAt } from "../../state/samples.ts";
import {
  entries,
  entry,
  foldStored,
  initial,
  openStore,
  path,
  problemOf,
  stateAt,
} from "./fixtures.ts";
import { createMemoryFileSystem, type MemoryFileSystem } from "./memory-file-system.ts";

const journal = `${path}.journal`;
const backup = `${path}.backup`;

/** Two compactions and two entries after them: backup at 2, snapshot at 5, journal from 2 to 7. */
async function recorded(): Promise<MemoryFileSystem> {
  const fs = createMemoryFileSystem();
  const store = openStore(fs);
  const fence = await store.lock("apply", 0);
  await store.compact(initial, fence);
  await store.append(entries(1, 2), fence);
  await store.compact(stateAt(2), fence);
  await store.append(entries(3, 5), fence);
  await store.compact(stateAt(5), fence);
  await store.append(entries(6, 7), fence);
  await store.unlock(fence);
  return fs;
}

function remove(fs: MemoryFileSystem, ...names: readonly string[]): MemoryFileSystem {
  const kept = createMemoryFileSystem();
  for (const name of fs.paths()) {
    if (!names.includes(name)) kept.put(name, fs.text(name) ?? "");
  }
  return kept;
}

test("the journal reaches back to the backup and holds nothing older", async () => {
  const fs = await recorded();
  expect(fs.paths()).toEqual([path, backup, journal]);
  expect(fs.text(path)).toBe(encodeState(stateAt(5)));
  expect(fs.text(backup)).toBe(encodeState(stateAt(2)));
  expect(fs.text(journal)?.split("\n", 1)[0]).toContain('"base":2}');
  expect(foldStored(await openStore(fs).read())).toEqual(stateAt(7));
});

test("of a record of a run that was torn nothing is believed, and the next takes its place", async () => {
  const fs = await recorded();
  const history = `${path}.runs`;
  const { end: _, ...begun } = runRecord("one", { said: ["begun"] });
  const whole = encodeRun(runRecord("one", { said: ["ended"] }));
  for (let length = 1; length <= whole.length; length += 1) {
    const first = `${encodeRun(begun)}\n`;
    fs.put(history, `${first}${whole.slice(0, length)}`);
    const store = openStore(fs);
    expect((await store.runHeads()).map((head) => head.end)).toEqual([undefined]);
    const fence = await store.lock("apply", 0);
    const two = runRecord("two", { position: 1 });
    await store.saveRuns([two], { drop: [], late: false }, fence);
    await store.unlock(fence);
    expect(fs.text(history)).toBe(`${first}${encodeRun(two)}\n`);
  }
});

describe("a snapshot that cannot be used", () => {
  const sound = encodeState(stateAt(5));
  const damaged: [string, string | Uint8Array, string, string][] = [
    ["zero bytes", "", "STO001", "the file is empty"],
    ["white space", "\n", "STO001", "the file is empty"],
    ["zeros", new Uint8Array(4096), "STO001", "is not JSON"],
    ["half of it", sound.slice(0, sound.length / 2), "STO001", "is not JSON"],
    ["another JSON", "{}", "STO001", "has no format version"],
    ["not UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), "STO001", "is no UTF-8 text"],
    ["a later version", '{"formatVersion": 2}', "STO003", "has format version 2"],
    [
      "unsound",
      encodeState({ ...stateAt(5), objects: [objectAt("daemon_vm.b"), objectAt("daemon_vm.a")] }),
      "STO005",
      "daemon_vm.a: stands after daemon_vm.b (invariant 3)",
    ],
  ];

  test.each(damaged)("%s: names the backup, which loses nothing", async (_, content, code, why) => {
    const fs = await recorded();
    fs.put(path, content);
    const problem = await problemOf(openStore(fs).read());
    expect(problem.code).toBe(code);
    expect(problem.message).toContain(path);
    expect(problem.message).toContain(why);
    expect(problem.message).toContain(
      `The backup ${backup} (serial 0) and the journal hold everything.`,
    );
    if (code === "STO003") return;
    expect(problem.fix).toBe(`To restore it, copy ${backup} over ${path}; nothing is lost.`);
    fs.put(path, fs.text(backup) ?? "");
    expect(foldStored(await openStore(fs).read())).toEqual(stateAt(7));
  });

  test("and a journal that does not continue the backup: says what is lost", async () => {
    const fs = remove(await recorded(), journal);
    fs.put(path, "");
    const problem = await problemOf(openStore(fs).read());
    expect(problem.message).toContain(`The backup ${backup} (serial 0) can be used`);
    expect(problem.fix).toContain(`copy ${backup} over ${path} and delete ${journal}`);
  });

  test.each(["", "{}"])("and a backup that cannot be used either: %j", async (content) => {
    const fs = await recorded();
    fs.put(path, "");
    fs.put(backup, content);
    const problem = await problemOf(openStore(fs).read());
    expect(problem.message).toContain(`There is no backup ${backup} that can be used.`);
  });

  test("is not written over by the next run either", async () => {
    const fs = await recorded();
    fs.put(path, "");
    const store = openStore(fs);
    const fence = await store.lock("apply", 0);
    expect((await problemOf(store.append([entry(8)], fence))).code).toBe("STO001");
    expect((await problemOf(store.compact(initial, fence))).code).toMatch(/STO00[18]/);
    expect(fs.text(path)).toBe("");
  });
});

describe("missing files", () => {
  test("no file at all is a first run", async () => {
    expect(await openStore(createMemoryFileSystem()).read()).toEqual({
      snapshot: undefined,
      journal: [],
    });
  });

  test("a left-over temporary file does not count", async () => {
    const fs = createMemoryFileSystem();
    fs.put(`${path}.tmp`, "half a sta");
    expect((await openStore(fs).read()).snapshot).toBeUndefined();
  });

  test("no snapshot beside a journal: an error with a way out", async () => {
    const fs = remove(await recorded(), path);
    const problem = await problemOf(openStore(fs).read());
    expect(problem.code).toBe("STO004");
    expect(problem.message).toContain(`but ${journal} stands beside it`);
    expect(problem.fix).toContain(`copy ${backup} over ${path}; nothing is lost`);
  });

  test("no snapshot beside a backup: an error", async () => {
    const fs = remove(await recorded(), path, journal);
    const problem = await problemOf(openStore(fs).read());
    expect([problem.code, problem.message]).toEqual([
      "STO004",
      expect.stringContaining(`but ${backup} stands beside it`),
    ]);
  });

  test("no journal: nothing came after the snapshot, and the next append makes one", async () => {
    const fs = remove(await recorded(), journal);
    const store = openStore(fs);
    const read = await store.read();
    expect(foldStored(read)).toEqual(stateAt(5));
    expect(read.remarks).toMatchObject([{ severity: "warning", code: "STO016" }]);
    const fence = await store.lock("apply", 0);
    expect(await store.append([entry(6)], fence)).toBe(6);
    fs.cutPower(() => false);
    const after = await openStore(fs).read();
    expect(foldStored(after)).toEqual(stateAt(6));
    expect(after.remarks).toBeUndefined();
  });
});

describe("a journal that cannot be used", () => {
  const cases: [string, (text: string) => string, string][] = [
    ["zero bytes", () => "", "it is empty"],
    ["no whole header", (text) => text.slice(0, 20), "has no whole header"],
    ["a line missing", (text) => text.replace(/\n.*\n/, "\n"), "where 3 should stand"],
    [
      "a changed line",
      (text) => text.replace('"count":3', '"count":2'),
      "wrong checksum in line 2",
    ],
    ["another snapshot's", () => encodeState(initial), "damaged header"],
  ];
  test.each(cases)("%s: names the backup and says what to do", async (_, change, why) => {
    const fs = await recorded();
    fs.put(journal, change(fs.text(journal) ?? ""));
    const problem = await problemOf(openStore(fs).read());
    expect(problem.code).toBe("STO002");
    expect(problem.message).toContain(why);
    expect(problem.message).toContain(`sound up to position 5; the backup is ${backup}`);
    expect(problem.fix).toContain(`move ${journal} away`);
    const moved = remove(fs, journal);
    expect(foldStored(await openStore(moved).read())).toEqual(stateAt(5));
  });

  test("of another recorded state", async () => {
    const fs = await recorded();
    const other = createMemoryFileSystem();
    const store = openStore(other);
    const fence = await store.lock("apply", 0);
    await store.compact({ ...initial, journal: { id: "journal-2", position: 0 } }, fence);
    fs.put(journal, other.text(journal) ?? "");
    const problem = await problemOf(openStore(fs).read());
    expect(problem.message).toContain("belongs to another recorded state");
  });

  test("that begins after the snapshot: something is missing between", async () => {
    const fs = await recorded();
    fs.put(path, encodeState(stateAt(1)));
    const problem = await problemOf(openStore(fs).read());
    expect(problem.message).toContain("begins after position 2, the state ends at 1");
  });
});

test("a torn last line is skipped, and cut before the next append", async () => {
  const fs = await recorded();
  const whole = fs.text(journal) ?? "";
  const lastLine = whole.slice(whole.trimEnd().lastIndexOf("\n") + 1);
  for (let length = 1; length < lastLine.length; length += 7) {
    fs.put(journal, whole + lastLine.slice(0, length));
    const store = openStore(fs);
    const fence = await store.lock("apply", 0);
    expect(foldStored(await store.read())).toEqual(stateAt(7));
    expect(await store.append([entry(8)], fence)).toBe(8);
    await store.unlock(fence);
    const after = fs.text(journal) ?? "";
    expect(after.startsWith(whole)).toBe(true);
    expect(after.slice(whole.length)).toMatch(/^\{"crc":"[^\n]+\n$/);
    expect(after.endsWith("}]}}]}\n")).toBe(true);
    expect(foldStored(await openStore(fs).read())).toEqual(stateAt(8));
  }
});

test("one changed byte anywhere is an error, or a last line lost, never another state", async () => {
  const fs = await recorded();
  const [snapshotText, journalText] = [fs.text(path) ?? "", fs.text(journal) ?? ""];
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.nat(), fc.integer({ min: 1, max: 255 }), async (...drawn) => {
      const [inJournal, place, flip] = drawn;
      const name = inJournal ? journal : path;
      fs.put(path, snapshotText);
      fs.put(journal, journalText);
      const bytes = new TextEncoder().encode(inJournal ? journalText : snapshotText);
      const index = place % bytes.length;
      bytes[index] = (bytes[index] ?? 0) ^ flip;
      fs.put(name, bytes);
      const found = await openStore(fs)
        .read()
        .then(foldStored, (error: unknown) => error);
      if (found instanceof StoreError) return;
      // The snapshot has no checksum, so that people may mend it: a changed value is a value.
      if (inJournal) expect([stateAt(7), stateAt(5)]).toContainEqual(found);
      else expect(found).toBeDefined();
    }),
    { numRuns: 500 },
  );
});

describe("reading while another process writes", () => {
  test("sees the state before or after each step, never an error", async () => {
    const fs = await recorded();
    const writer = openStore(fs);
    const fence = await writer.lock("apply", 0);
    let position = 7;
    // Another process reads at every step of two compactions and an append between them.
    const read = async (): Promise<number> => {
      const found = foldStored(await openStore(fs).read());
      expect(found).toEqual(stateAt(found?.journal.position ?? -1));
      return found?.journal.position ?? -1;
    };
    let busy = false;
    const seen: number[] = [];
    fs.gate = async () => {
      if (busy) return;
      busy = true;
      seen.push(await read());
      busy = false;
    };
    await writer.compact(stateAt(position), fence);
    position = await writer.append([entry(8)], fence);
    await writer.compact(stateAt(position), fence);
    expect(seen.length).toBeGreaterThan(20);
    expect(seen).toEqual(seen.toSorted((left, right) => left - right));
    expect(new Set(seen)).toEqual(new Set([7, 8]));
  });

  test("between its two files: a compaction at any moment of the reading", async () => {
    for (let call = 1; call <= 6; call += 1) {
      const fs = await recorded();
      const writer = openStore(fs);
      const fence = await writer.lock("apply", 0);
      let count = 0;
      let position = 7;
      const interrupted = {
        ...fs,
        read: async (name: string) => {
          count += 1;
          if (count === call) {
            position = await writer.append([entry(8)], fence);
            await writer.compact(stateAt(8), fence);
            await writer.append([entry(9)], fence);
            position = 9;
          }
          return fs.read(name);
        },
      };
      const found = foldStored(await openStore(interrupted).read());
      expect(found).toEqual(stateAt(found?.journal.position ?? -1));
      expect(found?.journal.position).toBeGreaterThanOrEqual(7);
      expect(found?.journal.position).toBeLessThanOrEqual(position);
    }
  });

  test("half seen bytes: a second look decides", async () => {
    const fs = await recorded();
    for (const garbage of ["", "{", '{"crc":"00000000",']) {
      let looks = 0;
      const unsteady = {
        ...fs,
        read: async (name: string) => {
          if (name === journal) looks += 1;
          return looks === 1 ? new TextEncoder().encode(garbage) : fs.read(name);
        },
      };
      expect(foldStored(await openStore(unsteady).read())).toEqual(stateAt(7));
      expect(looks).toBe(2);
    }
  });

  test("bytes that are different at every look: an error in the end", async () => {
    const fs = await recorded();
    let looks = 0;
    const unsteady = {
      ...fs,
      read: async () => new TextEncoder().encode(`garbage ${(looks += 1)}`),
    };
    expect((await problemOf(openStore(unsteady).read())).code).toBe("STO001");
    expect(looks).toBeGreaterThan(10);
  });
});

test("a first compaction while another process reads for the first time", async () => {
  const fs = createMemoryFileSystem();
  const writer = openStore(fs);
  const fence = await writer.lock("apply", 0);
  let busy = false;
  const seen = new Set<number | undefined>();
  fs.gate = async () => {
    if (busy) return;
    busy = true;
    seen.add(foldStored(await openStore(fs).read())?.journal.position);
    busy = false;
  };
  await writer.compact(initial, fence);
  expect(seen).toEqual(new Set([undefined, 0]));
});
