/** A session that travels to an agent in the process of the test. */

import { createSecretMask, type SecretMask } from "../../../src/lib/mask.ts";
import type { Clock } from "../../../src/model/clock.ts";
import type { ProviderSession } from "../../../src/model/provider/provider.ts";
import type { Value } from "../../../src/model/value/value.ts";
import { type Agent, type AgentPorts, type CallTold, runAgent } from "../../../src/sites/agent.ts";
import { openAtSite } from "../../../src/sites/session.ts";
import { realClock } from "../../helpers/program.ts";
import { type MemoryChannel, memoryChannel } from "./memory-channel.ts";

export type There = {
  readonly memory: MemoryChannel;
  readonly agent: Agent;
  readonly told: readonly CallTold[];
  readonly mask: SecretMask;
  readonly open: (
    settings?: Value,
    how?: { readonly access?: "read" | "mutate"; readonly waitMs?: number },
  ) => Promise<ProviderSession>;
  readonly close: () => Promise<void>;
};

export function startThere(
  open: AgentPorts["open"],
  parts: Partial<Pick<AgentPorts, "readOnly" | "endpoints">> & { readonly clock?: Clock } = {},
): There {
  const { clock = realClock, ...rest } = parts;
  const memory = memoryChannel(clock, parts.clock === undefined ? 1 : 400);
  const told: CallTold[] = [];
  const mask = createSecretMask();
  const agent = runAgent({
    counter: memory.counter,
    clock,
    site: "site-a",
    version: "0.1.0",
    open,
    mask,
    readOnly: false,
    endpoints: [],
    tell: (call) => void told.push(call),
    ...rest,
  });
  let ids = 0;
  return {
    memory,
    agent,
    told,
    mask,
    open: (settings = {}, { access = "mutate", waitMs = 0 } = {}) =>
      openAtSite(
        {
          channel: memory.channel,
          clock,
          newId: () => {
            ids += 1;
            return `id-${ids}`;
          },
          version: "0.1.0",
          types: ["daemon_vm", "daemon_shared_folder"],
        },
        { site: "site-a", waitMs, provider: "daemon", access, settings },
      ),
    close: async () => {
      await agent.drain();
      await agent.ended;
    },
  };
}
