/** What all who ask workers begin with: a Node.js that is new enough, and the database. */

import type { CommandEnvironment } from "../../commands/environment.ts";
import { withFleet } from "../../commands/fleet/submit.ts";
import type { Fleet } from "../../model/fleet/fleet.ts";
import { type CommonOptions, workspaceOptions } from "../options.ts";
import { requireNode } from "./node-version.ts";

type Asking = Awaited<ReturnType<typeof askingPorts>>;

/** `what` is the command, for whoever has an older Node.js. Throws `CommandError`. */
export async function askingPorts(environment: CommandEnvironment, what: string) {
  requireNode(environment, what);
  return { ...environment, fleet: await environment.loadFleet() };
}

/** With the database of the configuration. Throws `CommandError` and `StoreError`. */
export async function inFleet<T>(
  environment: CommandEnvironment,
  flags: CommonOptions,
  what: string,
  work: (fleet: Fleet, ports: Asking) => Promise<T>,
): Promise<T> {
  const ports = await askingPorts(environment, what);
  return withFleet(ports, workspaceOptions(flags), (fleet) => work(fleet, ports));
}
