/**
 * The live part at three sizes, as golden files (`vitest -u` accepts), and what must hold of it at
 * every size: no line wider than the terminal, and never more lines than fit.
 */

import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Address, toAddress } from "../../../../src/model/value/address.ts";
import { liveLines } from "../../../../src/render/live/layout.ts";
import type { LiveOperation, LivePicture } from "../../../../src/render/live/live-run.ts";
import { displayColumns } from "../../../../src/render/text/styled-line.ts";
import { address as addressOf } from "../../../helpers/recorded-builder.ts";

const nowMs = 200_000;

function running(name: string, more: Partial<LiveOperation> = {}): LiveOperation {
  return {
    ...{ address: addressOf(name), what: "clone VM app from golden", startedMs: 190_000 },
    ...{ limitMs: 3_600_000, words: undefined, progress: undefined },
    ...more,
  };
}

const few: LivePicture = {
  ...{ startedMs: 120_000, done: 12, total: 40, failed: 1, draining: false, remainingMs: 187_000 },
  running: [
    running("daemon_vm.app", { startedMs: 199_500 }),
    running('cloud_vm.db["north"]', {
      what: "move VM db to datastore ssd-01",
      startedMs: 125_000,
      progress: 43,
    }),
    running("cloud_vm.web", { what: "shut down VM web", words: "the guest is still on" }),
  ],
  waits: [],
  queue: [
    {
      addresses: ["a", "b", "c", "d", "e"].map((name) => addressOf(`cloud_vm.${name}`)),
      behind: "for a turn: --parallelism is 3",
    },
  ],
};

const many: LivePicture = {
  ...few,
  running: Array.from({ length: 60 }, (_, index) =>
    running(`daemon_vm.app[${index}]`, { startedMs: 100_000 + index * 1_000 }),
  ),
};

const wide: LivePicture = {
  ...few,
  running: [running('daemon_vm.app["日本語の仮想マシン"]', { what: "clone 仮想マシン from 金色" })],
  waits: [{ text: "reading 400 objects: 120 of 400", startedMs: 197_000 }],
  queue: [],
};

const stopping: LivePicture = {
  ...few,
  draining: true,
  remainingMs: undefined,
  failed: 0,
  queue: [],
};

const states = { few, many, wide, stopping };
const sizes = [
  { width: 40, height: 12 },
  { width: 80, height: 24 },
  { width: 120, height: 40 },
];

const screens = Object.entries(states).flatMap(([name, state]) =>
  sizes.map((size) => ({ name: `${name}-${size.width}x${size.height}`, state, size })),
);

test.for(screens)("$name", async ({ name, state, size }) => {
  const lines = liveLines(state, size, nowMs, false);
  const path = fileURLToPath(new URL(`./golden/${name}.txt`, import.meta.url));
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(path);
});

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc.constant("日本語".repeat(9)),
);
/** Keys of instances may be any text. */
const address = text.map(
  (key): Address =>
    toAddress(`daemon_vm.app[${JSON.stringify(key)}]`) ?? addressOf("daemon_vm.app[7]"),
);
const operation = fc.record({
  address,
  what: text,
  startedMs: fc.nat(nowMs),
  limitMs: fc.option(fc.nat(), { nil: undefined }),
  words: fc.option(text, { nil: undefined }),
  progress: fc.option(fc.double({ min: -5, max: 300, noNaN: true }), { nil: undefined }),
});
const anyPicture: fc.Arbitrary<LivePicture> = fc.record({
  ...{ startedMs: fc.nat(nowMs), done: fc.nat(), total: fc.nat(), failed: fc.nat() },
  running: fc.array(operation, { maxLength: 40 }),
  waits: fc.array(fc.record({ text, startedMs: fc.nat(nowMs) }), { maxLength: 5 }),
  queue: fc.array(
    fc.record({
      addresses: fc.array(address, { minLength: 1, maxLength: 9 }),
      behind: text,
    }),
    { maxLength: 9 },
  ),
  draining: fc.boolean(),
  remainingMs: fc.option(fc.nat(), { nil: undefined }),
});

test("no line is wider than the terminal, and there are never more lines than fit", () => {
  const size = fc.record({ width: fc.integer({ min: 1, max: 140 }), height: fc.nat(50) });
  fc.assert(
    fc.property(anyPicture, size, (state, { width, height }) => {
      const lines = liveLines(state, { width, height }, nowMs, false);
      expect(lines.length).toBeLessThanOrEqual(Math.max(1, height - 2));
      for (const line of lines) {
        expect(line).not.toContain("\n");
        expect(displayColumns(line)).toBeLessThanOrEqual(width);
      }
    }),
  );
});

test("what runs is never out of sight while there is room for a second line", () => {
  const height = fc.integer({ min: 4, max: 50 });
  fc.assert(
    fc.property(anyPicture, height, (state, rows) => {
      fc.pre(state.running.length > 0);
      const lines = liveLines(state, { width: 80, height: rows }, nowMs, false);
      expect(lines[1]?.startsWith("  ")).toBe(true);
      const shown = state.running.length === 1 ? "daemon_vm." : /daemon_vm\.|more running/;
      expect(lines[1]).toMatch(shown);
    }),
  );
});

test("colour changes no text", () => {
  const plain = liveLines(few, { width: 80, height: 24 }, nowMs, false);
  const painted = liveLines(few, { width: 80, height: 24 }, nowMs, true);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are what is removed
  expect(painted.map((line) => line.replaceAll(/\u001b\[\d+m/g, ""))).toEqual(plain);
  expect(painted).not.toEqual(plain);
});
