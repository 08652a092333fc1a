/** What the ledger of a run knows beyond recorded state. */

import { expect, test } from "vitest";
import type { BeginEntry } from "../../../src/model/recorded/begin-entry.ts";
import { initialState } from "../../../src/state/initial.ts";
import { type Parts, withParts } from "../../helpers/parts.ts";
import { beginEntry } from "../../helpers/recorded-builder.ts";
import { at } from "../state/samples.ts";
import { engineWorld, ledgerOf } from "./engine-world.ts";

function begin(id: string, parts: Parts<BeginEntry> = {}): BeginEntry {
  const base = beginEntry({
    id,
    subject: { address: at("fake_vm.a"), provider: "fake", identity: "a" },
  });
  return withParts(base, parts);
}

const subject = { provider: "fake", identity: "a" };

test("remote tasks on an object stay known after their operations have ended", async () => {
  const found = begin("found", { handle: "task 1" });
  const state = { ...initialState("lineage", "journal", false), open: [found] };
  const ledger = ledgerOf(engineWorld(() => Promise.reject(new Error("no session")), {}, state));
  expect(ledger.tasksOf(subject)).toEqual(["task 1"]);
  const next = begin("next");
  const other = begin("other", { subject: { address: at("fake_vm.b"), identity: "b" } });
  await ledger.append([next, other]);
  for (const [{ planId, id }, handle] of [
    [next, "task 2"],
    [other, "task 3"],
  ] as const) {
    await ledger.append([{ kind: "handle", planId, id, handle }]);
    await ledger.append([{ kind: "end", planId, id, outcome: "failed", atMs: 1 }]);
  }
  await ledger.compact();
  expect(ledger.tasksOf(subject)).toEqual(["task 1", "task 2"]);
  expect(ledger.tasksOf({ ...subject, identity: "b" })).toEqual(["task 3"]);
  expect(ledger.tasksOf({ ...subject, provider: "fake.east" })).toEqual([]);
});
