/** Queries are sent once, and only once, for everybody who asks the same. */

import { expect, test } from "vitest";
import { answerQueries, createQueryReader } from "../../../../src/engine/look/query.ts";
import type { Sessions } from "../../../../src/engine/sessions.ts";
import { RemoteError } from "../../../../src/model/operation/remote-error.ts";
import type { ProviderSession } from "../../../../src/model/provider/provider.ts";
import type { Attributes } from "../../../../src/model/value/value.ts";
import { address } from "../../../helpers/recorded-builder.ts";

function scripted(answer: (query: Attributes) => Attributes): {
  readonly sessions: Sessions;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const sessionOf = (provider: string): ProviderSession => ({
    read: () => Promise.reject(new Error("nothing is read here")),
    send: () => Promise.reject(new Error("nothing is sent here")),
    readData: (type, query) => {
      asked.push(`${provider} ${type} ${JSON.stringify(query)}`);
      return Promise.resolve().then(() => answer(query));
    },
    close: () => Promise.resolve(),
  });
  const get: Sessions["get"] = (provider) => Promise.resolve(sessionOf(provider));
  return { asked, sessions: { get, close: () => Promise.resolve() } };
}

const query = { provider: "daemon", type: "daemon_vms", query: {}, after: [] } as const;

test("equal queries share one request, whatever the order of their arguments", async () => {
  const { sessions, asked } = scripted(() => ({ ids: ["a"] }));
  const read = createQueryReader(sessions, new Map());
  const both = await Promise.all([
    read({ ...query, query: { tags: ["x"], limit: 1 } }),
    read({ ...query, query: { limit: 1, tags: ["x"] } }),
  ]);
  expect(both[1]).toEqual({ tags: ["x"], limit: 1, ids: ["a"] });
  expect(both[0]).toEqual(both[1]);
  expect(asked).toHaveLength(1);
});

test.each([
  ["provider", { provider: "daemon.east" }],
  ["type", { type: "daemon_disks" }],
  ["argument", { query: { tags: ["x"] } }],
  ["moment", { after: [address("daemon_vm.a")] }],
])("another %s is another query", async (_what, change) => {
  const { sessions, asked } = scripted(() => ({}));
  const read = createQueryReader(sessions, new Map());
  await read(query);
  await read({ ...query, ...change });
  expect(asked).toHaveLength(2);
});

test("a failure is an answer of its own and hides no other; a fault of ours is none", async () => {
  const planned = { type: "daemon_vms", provider: "daemon", deferred: {}, waitsFor: [] };
  const [good, bad] = [address("data.daemon_vms.good"), address("data.daemon_vms.bad")];
  const ready = [
    { ...planned, address: good, query: {} },
    { ...planned, address: bad, query: { tags: ["x"] } },
  ];
  const failing = (error: Error) =>
    scripted(({ tags }) => {
      if (tags !== undefined) throw error;
      return { ids: [] };
    }).sessions;
  const refusal = new RemoteError({ kind: "unavailable", effect: "none", message: "no reply" });
  const answers = await answerQueries(createQueryReader(failing(refusal), new Map()), ready);
  expect(Object.fromEntries(answers)).toEqual({
    [good]: { status: "read", attributes: { ids: [] } },
    [bad]: { status: "failed", reason: "no reply" },
  });
  const broken = createQueryReader(failing(new TypeError("ours")), new Map());
  await expect(answerQueries(broken, ready)).rejects.toThrow("ours");
});
