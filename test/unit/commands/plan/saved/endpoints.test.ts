/** A saved plan, and who answers at its endpoints when it is applied. */

import { expect, test } from "vitest";
import { CommandError } from "../../../../../src/commands/environment.ts";
import { requirePlannedEndpoints } from "../../../../../src/commands/plan/saved/endpoints.ts";
import type { ProviderSession } from "../../../../../src/model/provider/provider.ts";
import type { Endpoint } from "../../../../../src/model/recorded/endpoint.ts";
import { buildOperation, buildPlan } from "../../../../helpers/plan-builder.ts";
import { session, unavailable } from "../../../engine/engine-world.ts";

const planned: Endpoint = { url: "https://a", instance: "one" };

function answering(instance: string | undefined): ProviderSession {
  return session({ url: "https://a", instance: () => Promise.resolve(instance) });
}

test.each<[string, string, () => Promise<ProviderSession>, RegExp | undefined]>([
  ["the same server", "manager", async () => answering("one"), undefined],
  ["another server", "manager", async () => answering("two"), /made for .*one.*there is .*two/],
  ["a server that tells no id", "manager", async () => answering(undefined), undefined],
  ["no server that answers", "manager", () => Promise.reject(unavailable), undefined],
  [
    "another server, of a provider that nothing is sent to",
    "daemon",
    async () => answering("two"),
    undefined,
  ],
])("%s", async (_, provider, get, refused) => {
  const plan = buildPlan({
    endpoints: [{ provider: "manager", ...planned }],
    operations: [
      buildOperation("manager_vm.db", "power-on", {
        subject: { provider },
      }),
    ],
  });
  const checked = requirePlannedEndpoints({ get, close: async () => {} }, plan, "a.plan");
  if (refused === undefined) await expect(checked).resolves.toBeUndefined();
  else await expect(checked).rejects.toThrow(refused);
  if (refused !== undefined) await expect(checked).rejects.toBeInstanceOf(CommandError);
});
