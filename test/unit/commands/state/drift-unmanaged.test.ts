/** Listing what nobody manages: each kind of object by itself. */

import { expect, test } from "vitest";
import { listUnmanaged } from "../../../../src/commands/state/drift-unmanaged.ts";
import { RemoteError } from "../../../../src/model/operation/remote-error.ts";
import type { ProviderSession } from "../../../../src/model/provider/provider.ts";
import { typeRegistry } from "../../../../src/providers/registry.ts";
import { initialState } from "../../../../src/state/initial.ts";
import { session } from "../../engine/engine-world.ts";

const refused = new RemoteError({ kind: "forbidden", effect: "none", message: "not for you" });

function listing(list: NonNullable<ProviderSession["list"]>): ReturnType<typeof listUnmanaged> {
  const sessions = { get: async () => session({ list }), close: async () => {} };
  const state = initialState("lineage", "journal", false);
  return listUnmanaged(typeRegistry(), sessions, state, new Map([["manager", null]]));
}

test("a type that cannot be listed hides none of the others", async () => {
  const listed = await listing(async (type) => {
    if (type === "manager_vm") throw refused;
    return [{ type, identity: `a ${type}` }];
  });
  expect(listed.unlisted).toEqual([{ provider: "manager", reason: "not for you" }]);
  expect(listed.discovered?.map(({ type }) => type)).toContain("manager_login_alarm");
});

test("an endpoint that lists nothing at all is named once", async () => {
  const listed = await listing(() => Promise.reject(refused));
  expect(listed).toEqual({ unlisted: [{ provider: "manager", reason: "not for you" }] });
});
