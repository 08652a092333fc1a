/** What became of a request, where only its task or its reply can tell. */

import { expect, test } from "vitest";
import { send } from "../../../src/engine/send.ts";
import type { PreparedOperation } from "../../../src/model/operation.ts";
import type { TaskStatus } from "../../../src/model/provider.ts";
import { buildOperation } from "../../helpers/plan-builder.ts";
import { beginEntry } from "../../helpers/recorded-builder.ts";
import { engineWorld, ledgerOf, session, startMs } from "./engine-world.ts";

const unseen: PreparedOperation = {
  ...buildOperation("fake_vm.a", "wipe", { unobservable: true, expect: [], limitMs: 60_000 }),
  inputs: {},
  records: {},
};

test.each<[string, TaskStatus, string, string | undefined]>([
  ["succeeded", { status: "success", message: "0 reclaimed" }, "success", "0 reclaimed"],
  ["failed", { status: "failed", message: "no tools" }, "failed", "no tools"],
  [
    "is gone",
    { status: "vanished" },
    "unknown",
    expect.stringContaining("its remote task is gone"),
  ],
])("work that no read shows, and whose task %s", async (_, status, outcome, message) => {
  const world = engineWorld(() => Promise.reject(new Error("not opened")));
  const sending = {
    ports: world.ports,
    planId: "plan-1",
    settings: new Map(),
    ledger: ledgerOf(world),
    freeSlot: () => {},
    isDraining: () => false,
    tasks: new Map(),
  };
  const begin = beginEntry({ atMs: startMs, limitMs: 60_000 });
  const answers = session({
    send: () => Promise.resolve({ handle: "task-1" }),
    poll: () => Promise.resolve(status),
  });
  const sent = await world.clock.until(send(sending, answers, unseen, begin));
  expect(sent).toMatchObject({ outcome, message });
});
