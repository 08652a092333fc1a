/** The journal as text: batches survive, one torn last line is tolerated, nothing else is. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JournalEntry } from "../../../../src/model/recorded/journal.ts";
import { StateFormatError } from "../../../../src/state/form/format-error.ts";
import {
  decodeJournalEntries,
  encodeJournalBatch,
  encodeJournalEntry,
  encodeJournalHeader,
  readJournal,
} from "../../../../src/state/form/journal-lines.ts";
import { entrySeal } from "../../../../src/state/form/sealed-text.ts";
import { plainSeal } from "../../../helpers/seals.ts";
import { begin, everyEntry, handle, run } from "../samples.ts";

const seal = entrySeal(plainSeal(), { lineage: "a", journal: { id: "journal-1", position: 0 } });
const header = encodeJournalHeader({ id: "journal-1", base: 10 });

/** A journal after position 10 with one line per batch. */
function journalOf(batches: readonly (readonly JournalEntry[])[]): string {
  let position = 10;
  return batches.reduce((text, batch) => {
    const line = lineOf(position + 1, batch);
    position += batch.length;
    return text + line;
  }, header);
}

/** One line of a journal. */
function lineOf(position: number, entries: readonly JournalEntry[]): string {
  return encodeJournalBatch(position, entries.map(encodeJournalEntry), seal);
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function entriesOf(text: string, after = 0): readonly JournalEntry[] {
  return decodeJournalEntries(readJournal(bytesOf(text)).batches, after, seal);
}

function failure(work: () => unknown): StateFormatError {
  try {
    work();
  } catch (error) {
    if (error instanceof StateFormatError) return error;
    throw error;
  }
  throw new Error("accepted");
}

const anyBatches = fc.array(fc.array(fc.constantFrom(...everyEntry), { minLength: 1 }), {
  maxLength: 6,
});

test("every kind of entry survives, with every field and without the optional ones", () => {
  expect(new Set(everyEntry.map((entry) => entry.kind)).size).toBe(7);
  expect(entriesOf(journalOf([everyEntry]))).toEqual(everyEntry);
});

test("entries after any position survive any batching", () => {
  fc.assert(
    fc.property(anyBatches, fc.nat(40), (batches, skipped) => {
      const text = journalOf(batches);
      const all = batches.flat();
      const journal = readJournal(bytesOf(text));
      expect(journal.header).toEqual({ id: "journal-1", base: 10 });
      expect(journal.position).toBe(10 + all.length);
      expect(journal.length).toBe(bytesOf(text).length);
      expect(entriesOf(text, 10 + skipped)).toEqual(all.slice(skipped));
      expect(entriesOf(text, 0)).toEqual(all);
    }),
  );
});

test("cut anywhere behind the header, whole batches remain and the rest is to be cut", () => {
  const text = journalOf([[run], [run, run], [run]]);
  const bytes = bytesOf(text);
  const ends = [...bytes.keys()].filter((index) => bytes[index] === 0x0a).map((index) => index + 1);
  const positions = [10, 11, 13, 14];
  for (let length = bytesOf(header).length; length <= bytes.length; length += 1) {
    const journal = readJournal(bytes.subarray(0, length));
    const lines = ends.filter((end) => end <= length).length;
    expect(journal.length).toBe(ends[lines - 1]);
    expect(journal.position).toBe(positions[lines - 1]);
  }
});

test("one changed byte is damage, or a torn last line, and never another entry", () => {
  const text = journalOf([[run], [begin], [handle]]);
  const bytes = bytesOf(text);
  const lastLine = text.trimEnd().lastIndexOf("\n") + 1;
  const lastStart = bytesOf(text.slice(0, lastLine)).length;
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (index, flip) => {
      const damaged = bytes.slice();
      damaged[index] = (damaged[index] ?? 0) ^ flip;
      // Breaking the last line in two leaves a bad line before a torn one: two, not one.
      const splitsLast = damaged[index] === 0x0a && index > lastStart;
      // Without the line end between them, the last two lines are one torn line; nothing but the
      // medium itself changes a byte in the middle, so the format spends nothing on this case.
      const joinsLast = index === lastStart - 1;
      if (joinsLast) {
        expect(decodeJournalEntries(readJournal(damaged).batches, 0, seal)).toEqual([run]);
      } else if (index < lastStart || splitsLast) {
        expect(() => readJournal(damaged)).toThrow(StateFormatError);
      } else {
        const journal = readJournal(damaged);
        expect(journal.length).toBe(lastStart);
        expect(decodeJournalEntries(journal.batches, 0, seal)).toEqual([run, begin]);
      }
    }),
    { numRuns: 1000 },
  );
});

describe("damage", () => {
  const line11 = lineOf(11, [run]);
  const line12 = lineOf(12, [handle]);
  test.each<[string, string, string]>([
    ["", "damaged", "is empty"],
    [header.slice(0, -1), "damaged", "has no whole header"],
    [header.replace("10", "11"), "damaged", "has a damaged header"],
    [line11, "damaged", "does not begin with the header"],
    [header + line12, "damaged", "position 12 in line 2 where 11 should stand"],
    [header + line11 + line11, "damaged", "position 11 in line 3 where 12 should stand"],
    [header + line11.replace("run", "ruin") + line12, "damaged", "wrong checksum in line 2"],
    [`${header}\n${line11}`, "damaged", "wrong checksum in line 2"],
    [`${header + line11.replace("run", "ruin")}{"crc`, "damaged", "wrong checksum in line 2"],
    [header + header + line11, "damaged", "holds no batch of entries in line 2"],
  ])("case %#", (text, problem, message) => {
    const error = failure(() => readJournal(bytesOf(text)));
    expect(error.problem).toBe(problem);
    expect(error.message).toContain(message);
  });

  test("a malformed entry is not written", () => {
    const wrong = { ...run, surprise: true } as unknown as JournalEntry;
    expect(() => encodeJournalEntry(wrong)).toThrow(TypeError);
  });

  test("a malformed entry is not read, though its checksum is right", () => {
    const { batches } = readJournal(bytesOf(header + line11));
    const line = line11.trimEnd();
    const cases: [string, string][] = [
      [line.replace('"command"', '"order"'), "has a malformed entry in line 2"],
      [line.replace('"kind":"run"', '"kind":"walk"'), "has a malformed entry in line 2"],
      [line.replace('"entries":[', '"entries":[null,'), "wrong count of entries"],
      [line.slice(0, -1), "is not JSON in line 2"],
    ];
    for (const [wrong, message] of cases) {
      const changed = batches.map((batch) => ({ ...batch, line: wrong }));
      expect(failure(() => decodeJournalEntries(changed, 0, seal)).message).toContain(message);
    }
  });
});

test("a journal of a later format says so", () => {
  // Checksum of the line with version 2, computed by zlib.
  const body = '"formatVersion":2,"journal":"j","base":0}';
  const text = `{"crc":"${checksumOf(body)}",${body}\n`;
  expect(failure(() => readJournal(bytesOf(text))).problem).toBe("newer");
});

/** CRC-32, bit by bit: also a check that the format is what it says, not what zlib does. */
function checksumOf(text: string): string {
  let crc = 0xffffffff;
  for (const byte of bytesOf(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0");
}
