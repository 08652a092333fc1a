/** How long a write is tried, by the time that this machine was awake. */

import { expect, test } from "vitest";
import type { StateDocument } from "../../../../src/store/document/document.ts";
import type { DocumentServer, Update } from "../../../../src/store/document/server.ts";
import { writeDocument } from "../../../../src/store/document/writing.ts";

const base: StateDocument = {
  serial: 1,
  lineage: "l",
  write: "before",
  snapshot: undefined,
  journal: undefined,
};
const next: StateDocument = { ...base, serial: 2, write: "this" };
const unclear: Update = { kind: "unclear", why: "no reply", isOdd: false };

/** Gives no reply to the first `lost` writes, of which each takes so long. */
function serverLosing(lost: number, lastsMs: number) {
  let nowMs = 0;
  let sent = 0;
  const server: DocumentServer = {
    address: "https://state.test/web",
    clock: {
      now: () => nowMs,
      sleep: async (ms) => {
        nowMs += ms;
      },
    },
    random: () => 0.5,
    withoutLock: false,
    fetch: async () => base,
    send: async () => {
      sent += 1;
      nowMs += lastsMs;
      return sent > lost ? { kind: "stored" } : unclear;
    },
    refusal: () => new Error("refused"),
    askLock: async () => ({ kind: "ours" }),
    askUnlock: async () => undefined,
    close: async () => undefined,
  };
  return { server, sent: () => sent };
}

const writing = (server: DocumentServer) => writeDocument(server, { base, next, lockId: "id" });
const hour = 3_600_000;

test.each([
  ["slept for hours", 5 * hour],
  ["had its clock set back", -5 * hour],
])("a machine that %s in the middle of a write tries on", async (_, lastsMs) => {
  const { server, sent } = serverLosing(1, lastsMs);
  await writing(server);
  expect(sent()).toBe(2);
});

test.each([
  ["at once", 0],
  ["after a minute each", 60_000],
])("what never gets a reply (%s) is given up", async (_, lastsMs) => {
  const { server, sent } = serverLosing(Number.POSITIVE_INFINITY, lastsMs);
  await expect(writing(server)).rejects.toMatchObject({ code: "STO028" });
  expect(sent()).toBeGreaterThan(1);
});
