/** Sealed texts: opened by their key at their place, and told apart when they are not. */

import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Seal } from "../../../../src/model/recorded/seal.ts";
import { StoreError } from "../../../../src/model/recorded/store.ts";
import { StateFormatError } from "../../../../src/state/form/format-error.ts";
import { keyOf } from "../../../../src/store/seal/keys.ts";
import { createSeal, unusableSeal } from "../../../../src/store/seal/seal.ts";
import { keySeal, plainSeal, testKey, testKeys } from "../../../helpers/seals.ts";

const place = { what: "journal entry", lineage: "a", position: 3 };
const text = 'disk "é" of vm-canary';
const sealed = keySeal().seal(text, place);

/** What opening ends in: the text, a code, or `damaged`. */
function outcome(seal: Seal, written: string, at = place): string {
  try {
    return seal.open(written, at);
  } catch (error) {
    if (error instanceof StateFormatError) return error.problem;
    if (error instanceof StoreError) return error.code;
    throw error;
  }
}

function rechecked(token: string): string {
  const body = token.slice(0, token.lastIndexOf("."));
  return `${body}.${crc32(body).toString(16).padStart(8, "0")}`;
}

test("a text comes back, by another run as well, and is never sealed alike twice", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (any) => {
      const one = keySeal().seal(any, place);
      expect(one).toMatch(/^[\w.-]+$/);
      expect(one).not.toBe(keySeal().seal(any, place));
      expect(keySeal().open(one, place)).toBe(any);
    }),
    { numRuns: 50 },
  );
});

test("nothing of it, and nothing of its place, can be read", () => {
  const clear = Buffer.from(sealed.split(".").at(-2) ?? "", "base64url").toString("latin1");
  for (const all of [sealed, clear]) expect(all).not.toMatch(/vm-canary|journal|disk/);
});

test.each([
  ["another position", { ...place, position: 4 }],
  ["another state", { ...place, lineage: "b" }],
  ["something else", { ...place, what: "object" }],
  ["a place with more parts", { ...place, more: "" }],
])("at %s it is refused, as not of that place", (_name, at) => {
  expect(outcome(keySeal(), sealed, at)).toBe("STO064");
});

test("another key, and no key, are told for what they are", () => {
  expect(outcome(keySeal({ first: testKey("2") }), sealed)).toBe("STO061");
  expect(outcome(plainSeal(), sealed)).toBe("STO060");
  const former = testKeys({ first: testKey("2"), former: [testKey("3"), testKey("1")] });
  expect(outcome(createSeal("here", former), sealed)).toBe(text);
});

test("whatever was cut or changed by accident is damage, with any key and without", () => {
  const letters = [...sealed];
  for (let at = "vmform-sealed.".length; at < letters.length; at += 1) {
    const other = letters[at] === "A" ? "B" : "A";
    const flipped = letters.with(at, other).join("");
    expect(outcome(keySeal(), flipped), `letter ${at}`).toMatch(/damaged|newer/);
    expect(outcome(keySeal(), sealed.slice(0, at)), `cut at ${at}`).toBe("damaged");
  }
  expect(outcome(keySeal({ first: testKey("2") }), sealed.slice(0, -9))).toBe("damaged");
});

test("what is not sealed is refused unless that is said", () => {
  expect(outcome(keySeal(), text)).toBe("STO062");
  expect(outcome(keySeal({ unencrypted: "read" }), text)).toBe(text);
  const ending = testKeys({ first: undefined, former: [testKey()], unencrypted: "written" });
  const seal = createSeal("here", ending);
  expect(outcome(seal, text)).toBe(text);
  expect(outcome(seal, sealed)).toBe(text);
  expect(seal.seal(text, place)).toBe(text);
});

test("what is to be sealed anew is known", () => {
  const seal = keySeal({ former: [testKey("2")], unencrypted: "read" });
  const old = keySeal({ first: testKey("2") }).seal(text, place);
  for (const one of [sealed, old, text]) seal.open(one, place);
  expect([sealed, old, text].map(seal.isNew)).toEqual([true, false, false]);
});

test("hidden names are the same for a key, and tell nothing without it", () => {
  expect(keySeal().hide("vm-a")).toBe(keySeal().hide("vm-a"));
  const all = [keySeal(), keySeal({ first: testKey("2") }), plainSeal()].map((one) =>
    one.hide("a"),
  );
  expect(new Set(all).size).toBe(3);
});

describe("a passphrase", () => {
  const words = keyOf("passphrase", "correct horse battery staple");
  const first = typeof words === "string" ? undefined : words;

  test("is derived with a salt of each state, that those who write later keep", () => {
    const seal = createSeal("here", testKeys({ first }));
    const one = seal.seal(text, place);
    const again = keyOf("passphrase", "correct horse battery staple");
    if (typeof again === "string") throw new Error(again);
    const next = createSeal("here", testKeys({ first: again }));
    expect(next.open(one, place)).toBe(text);
    expect(next.isNew(one)).toBe(true);
    expect(saltOf(next.seal(text, place))).toBe(saltOf(one));
    // A plan beside it needs no other one, and nothing is derived again.
    expect(saltOf(createSeal("plan", testKeys({ first })).seal(text, place))).toBe(saltOf(one));
    expect(outcome(keySeal(), one)).toBe("STO061");
  });

  const saltOf = (token: string): string => token.split(".")[2] ?? "";

  test("costs no more than what was ever written, whatever a text asks for", () => {
    // With a right checksum, as somebody makes it who wants to stop readers.
    const greedy = rechecked(sealed.replace(".k.", ".s30-8-1-AAAA."));
    expect(outcome(createSeal("here", testKeys({ first })), greedy)).toBe("STO061");
  });

  test("of less than 16 characters is none, and neither is a key of another length", () => {
    expect(keyOf("passphrase", "x".repeat(15))).toContain("16");
    for (const bad of ["", "1".repeat(63), "x".repeat(64), "AAAA"]) {
      expect(keyOf("key", bad)).toContain("32 bytes");
    }
    const base64 = keyOf("key", ` ${Buffer.alloc(32, 7).toString("base64")}\n`);
    expect(base64).toMatchObject({ secret: Buffer.alloc(32, 7) });
  });
});

test("without its key nothing is done, and the reason is told", () => {
  const seal = unusableSeal(new Error("the key is away"));
  expect(() => seal.seal(text, place)).toThrow("the key is away");
  expect(() => seal.open(text, place)).toThrow("the key is away");
});
