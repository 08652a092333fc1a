/** Sessions of this run that are at sites: one way to the database carries all their calls. */

import { randomUUID } from "node:crypto";
import type { BehindRun } from "../../commands/environment.ts";
import { distributedNodeProblem } from "../../lib/node-version.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import type { ProviderSession } from "../../model/provider/provider.ts";
import type { Value } from "../../model/value/value.ts";
import { dataRegistry, typeRegistry } from "../../providers/registry.ts";
import type { RunEnd } from "../../queue/sites/run-end.ts";
import { type Channel, ChannelError } from "../../sites/call.ts";
import type { Way } from "../../sites/way.ts";
import { locationOf } from "../../store/postgres/target.ts";
import { clock } from "../clock.ts";
import type { StorePorts } from "../stores/stores.ts";

export type Travels = {
  /** Throws `RemoteError`. */
  readonly open: (
    way: Way,
    provider: string,
    settings: Value,
    access: "read" | "mutate",
  ) => Promise<ProviderSession>;
  /** Calls that were handed over so far. */
  readonly sent: () => number;
  readonly close: () => Promise<void>;
};

export function travelsOf({ state, fence }: BehindRun, ports: StorePorts): Travels {
  let end: Promise<RunEnd> | undefined;
  let sent = 0;
  const openEnd = async (): Promise<RunEnd> => {
    const problem = distributedNodeProblem(process.version, ports.environment);
    if (problem !== undefined) throw invalid(`via ${problem}`);
    if (state.kind !== "postgres") throw invalid("via needs recorded state in PostgreSQL (CFG116)");
    const { openAccess } = await import("../stores/postgres-store.ts");
    const { openRunEnd } = await import("../../queue/sites/run-end.ts");
    return openRunEnd({
      place: locationOf(state, ports.environment, ports.user),
      access: await openAccess(state, ports),
      schema: state.schema,
      state: state.name,
      ...(fence === undefined ? {} : { lockId: fence.lockId }),
    });
  };
  return {
    open: async (way, provider, settings, access) => {
      end ??= openEnd();
      const channel = await end.catch((error: unknown) => {
        // The next session tries again.
        end = undefined;
        if (!(error instanceof ChannelError)) throw error;
        const message = `the site ${way.site} cannot be reached: ${error.message}`;
        throw new RemoteError({ kind: "unavailable", effect: "none", message, cause: error });
      });
      const counted: Channel = {
        ...channel,
        offer: (site, id, text) => {
          sent += 1;
          return channel.offer(site, id, text);
        },
      };
      const types = [...Object.keys(typeRegistry()), ...Object.keys(dataRegistry())];
      const travelPorts = {
        channel: counted,
        clock,
        newId: randomUUID,
        version: ports.version,
        types,
        tell: (message: string) =>
          ports.events({ kind: "request-retried", request: `site ${way.site}`, message }),
      };
      const { openAtSite } = await import("../../sites/session.ts");
      return openAtSite(travelPorts, { ...way, provider, settings, access });
    },
    sent: () => sent,
    close: async () => {
      await (await end?.catch(() => undefined))?.close();
    },
  };
}

function invalid(message: string): RemoteError {
  return new RemoteError({ kind: "invalid", effect: "none", message });
}
