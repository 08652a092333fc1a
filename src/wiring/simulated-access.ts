/** Providers that speak to simulators in this process, and can reach nothing else. */

import type { ProviderAccess } from "../commands/environment.ts";
import type { HttpClientFactory, HttpPorts } from "../http/call.ts";
import { RemoteError } from "../model/operation/remote-error.ts";
import { type AccessPorts, openProviderAccess } from "../providers/access.ts";
import { withoutWay } from "../sites/way.ts";

type SimulatedPorts = Omit<AccessPorts, "http" | "onExchange"> & {
  /** Who speaks to them, for people, such as `a test`. */
  readonly what: string;
};

export function simulatedAccess({ what, ...ports }: SimulatedPorts): ProviderAccess {
  const { clock, mask } = ports;
  let sent = 0;
  const open = openProviderAccess({
    ...ports,
    onExchange: () => {
      sent += 1;
    },
    http: async (options) => {
      const { createHttpClients } = await import("../http/client.ts");
      const random = (): number => 0.5;
      // Neither a proxy nor certificates of the process: everything stays on this machine.
      const around = { clock, random, environment: {}, mask };
      return onlyDialled(createHttpClients({ ...around, ...options }), options, what);
    },
  });
  return {
    // Whatever the way, it leads to a simulator.
    open: (provider, settings, access) => open(provider, withoutWay(settings), access),
    allowCommands: () => {},
    requestsSent: () => sent,
    close: async () => {},
  };
}

/** Refuses whatever is not led to a simulator: nothing is ever sent anywhere else. */
function onlyDialled(
  create: HttpClientFactory,
  { dial }: Pick<HttpPorts, "dial">,
  what: string,
): HttpClientFactory {
  return (target) => {
    const { origin } = new URL(target.origin);
    if (dial?.has(origin) === true) return create(target);
    const message = `${what} speaks to simulated worlds alone, and there is none for ${origin}`;
    throw new RemoteError({ kind: "invalid", effect: "none", message });
  };
}
