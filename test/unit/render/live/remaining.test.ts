/** How long the rest of an apply takes is what the run itself has shown, else earlier runs. */

import { expect, test } from "vitest";
import { type RunSoFar, remainingOf } from "../../../../src/render/live/remaining.ts";

type Planned = Parameters<typeof remainingOf>[0][number];

function planned(id: string, verb: string, parts: Partial<Planned> = {}): Planned {
  return {
    id,
    verb,
    subject: { type: "cloud_vm", provider: "cloud" },
    effect: { kind: "update" },
    order: {},
    ...parts,
  } as Planned;
}

function soFar(
  elapsedMs: number,
  ended: { readonly [id: string]: number },
  running: { readonly [id: string]: number } = {},
): RunSoFar {
  return { elapsedMs, ended: maps(ended), running: maps(running) };
}

const maps = (record: { readonly [id: string]: number }) => new Map(Object.entries(record));

const moves = ["a", "b", "c", "d"].map((id) => planned(id, "relocate"));

test("nobody knows before such work has ended once", () => {
  const remaining = remainingOf([...moves, planned("e", "on")]);
  expect(remaining(soFar(5, {}, { a: 5 }))).toBeUndefined();
  expect(remaining(soFar(10, { a: 10 }))).toBeUndefined();
  expect(remaining(soFar(60, { a: 10, b: 10, c: 10, d: 10 }, { e: 20 }))).toBeUndefined();
});

test("the mean of what has ended, less what has run already", () => {
  const remaining = remainingOf(moves);
  expect(remaining(soFar(30, { a: 10, b: 20 }))).toBe(30);
  expect(remaining(soFar(35, { a: 10, b: 20 }, { c: 5 }))).toBe(25);
  // What takes longer than the others did is about to end, for all that is known.
  expect(remaining(soFar(99, { a: 10, b: 20 }, { c: 69 }))).toBe(15);
});

test("as much goes on at once as has so far", () => {
  expect(remainingOf(moves)(soFar(10, { a: 10, b: 10 }))).toBe(10);
});

test("what may never be begun, and what only looks, is not counted on", () => {
  const fallback = planned("f", "power-off", { order: { fallbackFor: "a" } as Planned["order"] });
  const look = planned("l", "check", { effect: { kind: "wait" } });
  expect(remainingOf([...moves, fallback, look])(soFar(30, { a: 15, b: 15, c: 15 }))).toBe(10);
});

test("work at another provider, or of another type, takes as long as it takes", () => {
  const other = planned("o", "relocate", {
    subject: { type: "cloud_vm", provider: "cloud.east" } as Planned["subject"],
  });
  expect(remainingOf([...moves, other])(soFar(40, { a: 9, b: 9, c: 9, d: 9 }))).toBeUndefined();
});

test("before such work has ended once, earlier runs tell, and this run from then on", () => {
  const earlier = new Map([["cloud cloud_vm relocate", [30, 40, 5000]]]);
  const remaining = remainingOf(moves, earlier);
  expect(remaining(soFar(0, {}))).toBe(160);
  expect(remaining(soFar(10, {}, { a: 10 }))).toBe(150);
  expect(remaining(soFar(10, { a: 10 }))).toBe(30);
  expect(remainingOf([...moves, planned("e", "on")], earlier)(soFar(0, {}))).toBeUndefined();
});
