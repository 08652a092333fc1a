/** What became of a request, where only its task or its reply can tell. */

import { expect, test } from "vitest";
import { type Sent, send } from "../../../src/engine/send.ts";
import type { PreparedOperation } from "../../../src/model/operation.ts";
import type { ProviderSession, TaskStatus } from "../../../src/model/provider.ts";
import { RemoteError } from "../../../src/model/remote-error.ts";
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
  const sent = await sendUnseen({
    send: () => Promise.resolve({ handle: "task-1" }),
    poll: () => Promise.resolve(status),
  });
  expect(sent).toMatchObject({ outcome, message });
});

const refused = { kind: "precondition", effect: "none", message: "not wiped" } as const;
const attributes = { wiped_at: null };

test.each<[string, Partial<ProviderSession>]>([
  ["reply", { send: () => Promise.reject(new RemoteError({ ...refused, attributes })) }],
  [
    "task",
    {
      send: () => Promise.resolve({ handle: "task-1" }),
      poll: () => Promise.resolve({ status: "failed", message: "not wiped", attributes }),
    },
  ],
])("what a refusal tells of the object is recorded: of a %s", async (_, answers) => {
  const sent = await sendUnseen(answers);
  expect(sent).toMatchObject({ outcome: "failed", message: "not wiped", attributes });
});

async function sendUnseen(answers: Partial<ProviderSession>): Promise<Sent> {
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
  return world.clock.until(send(sending, session(answers), unseen, begin));
}
