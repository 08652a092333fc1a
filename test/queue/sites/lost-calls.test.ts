/** Which calls an agent tells as lost: never one that came to it. */

import { expect, test } from "vitest";
import { type CallsHere, lostCalls } from "../../../src/queue/sites/lost-calls.ts";
import { siteNames } from "../../../src/queue/sites/names.ts";
import type { Session } from "../../../src/store/postgres/session.ts";

const asked = (calls: CallsHere, query: Session["query"]): Promise<readonly string[]> =>
  lostCalls({ query } as Session, {
    options: { site: "site-a", agent: "me" },
    names: siteNames("vmform"),
    table: "calls",
    calls,
  });

test("what came is not, though its answer could not be given, and what is stays so", async () => {
  const calls: CallsHere = { unanswered: new Set(["came"]), lost: new Set(["told before"]) };
  const taken = async () => [["came"], ["never came"], ["told before"]];
  expect(await asked(calls, taken)).toEqual(["never came", "told before"]);
  expect([...calls.lost]).toEqual(["told before", "never came"]);
  expect([...calls.unanswered]).toEqual(["came"]);
});

test("where nothing tells since when the agent is there, none is", async () => {
  const calls: CallsHere = { unanswered: new Set(), lost: new Set() };
  const old = (): Promise<never> =>
    Promise.reject(Object.assign(new Error("no such function"), { code: "42883" }));
  expect(await asked(calls, old)).toEqual([]);
  await expect(asked(calls, () => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
});
