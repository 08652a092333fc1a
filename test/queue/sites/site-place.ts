/** Both ends of the way to a site, on a PostgreSQL server of the test's own. */

import { randomUUID } from "node:crypto";
import type { ProviderSession } from "../../../src/model/provider/provider.ts";
import { type AgentEnd, type AgentNews, openAgentEnd } from "../../../src/queue/sites/agent-end.ts";
import { openRunEnd, type RunEnd } from "../../../src/queue/sites/run-end.ts";
import { type Agent, type AgentPorts, runAgent } from "../../../src/sites/agent.ts";
import { type SiteCall, siteProtocol } from "../../../src/sites/call.ts";
import { encode } from "../../../src/sites/codec.ts";
import { openAtSite } from "../../../src/sites/session.ts";
import type { Access } from "../../../src/store/postgres/session.ts";
import { targetOf } from "../../../src/store/postgres/target.ts";
import { realClock } from "../../helpers/program.ts";
import type { PostgresServer } from "../../stores/postgres-server.ts";
import { operation } from "../../unit/providers/daemon/daemon-server.ts";

export function accessTo(server: PostgresServer, user = "admin"): Access {
  const url = server.url("postgres").replace("admin@", `${user}@`);
  return {
    target: targetOf({ url }, {}, "nobody"),
    password: undefined,
    tls: {},
    applicationName: `vmform test ${user}`,
  };
}

export type RunningAgent = {
  readonly end: AgentEnd;
  readonly agent: Agent;
  readonly news: readonly AgentNews[];
  readonly close: () => Promise<void>;
};

export async function startAgent(
  server: PostgresServer,
  options: {
    readonly site: string;
    readonly user?: string;
    readonly open: AgentPorts["open"];
    readonly readOnly?: boolean;
  },
): Promise<RunningAgent> {
  const { site, user, open, readOnly = false } = options;
  const news: AgentNews[] = [];
  const end = await openAgentEnd({
    access: accessTo(server, user),
    schema: "vmform",
    site,
    agent: randomUUID(),
    version: "0.1.0",
    readOnly,
    host: "there",
    tell: (one) => void news.push(one),
  });
  const agent = runAgent({
    counter: end,
    clock: realClock,
    site,
    version: "0.1.0",
    open,
    mask: { mask: (text) => text },
    readOnly,
    endpoints: [],
  });
  return {
    end,
    agent,
    news,
    close: async () => {
      await agent.drain();
      await agent.ended;
      await end.close();
    },
  };
}

export function startRun(
  server: PostgresServer,
  options: { readonly state?: string; readonly lockId?: string } = {},
): Promise<RunEnd> {
  const { state = "web", lockId } = options;
  return openRunEnd({
    place: "PostgreSQL of the test",
    access: accessTo(server),
    schema: "vmform",
    state,
    ...(lockId === undefined ? {} : { lockId }),
  });
}

export function travel(channel: RunEnd, site: string, waitMs = 0): Promise<ProviderSession> {
  return openAtSite(
    { channel, clock: realClock, newId: randomUUID, version: "0.1.0", types: [] },
    { site, waitMs, provider: "daemon", access: "mutate", settings: {} },
  );
}

/** Hands over a change of the object of that name, and gives the id of the call. */
export async function offerSend(channel: RunEnd, site: string, identity: string): Promise<string> {
  const { nowMs } = await channel.mark();
  const id = randomUUID();
  const call: SiteCall = {
    protocol: siteProtocol,
    version: "0.1.0",
    site,
    session: "one",
    provider: "daemon",
    settings: {},
    access: "mutate",
    method: "send",
    words: [operation("on", identity)],
    notAfterMs: nowMs + 600_000,
    endByMs: nowMs + 600_000,
  };
  await channel.offer(site, id, encode(call));
  return id;
}
