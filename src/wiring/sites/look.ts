/** Who is at the sites that a configuration names, and which workers a database has. */

import type { SitesLook } from "../../model/fleet/site-agent.ts";
import type { WorkersLook } from "../../model/fleet/worker-look.ts";
import type { StoreSettings } from "../../model/recorded/store-settings.ts";
import { lookAtSites, skewOf } from "../../queue/sites/presence.ts";
import { lookAtWorkers } from "../../queue/workers.ts";
import { siteProtocol } from "../../sites/call.ts";
import { inWords } from "../../store/postgres/database.ts";
import { openSession, type Session } from "../../store/postgres/session.ts";
import { locationOf } from "../../store/postgres/target.ts";
import { openAccess } from "../stores/postgres-store.ts";
import type { StorePorts } from "../stores/stores.ts";

/** Undefined where recorded state is in no database. Throws `StoreError`. */
export function sitesLook(
  state: StoreSettings,
  sites: readonly string[],
  ports: StorePorts,
): Promise<SitesLook | undefined> {
  return inSession(state, ports, async (session, schema) => {
    const skewMs = await skewOf(session);
    const { version } = ports;
    const looks = await lookAtSites(session, schema, sites);
    return { sites: looks, skewMs, version, protocol: siteProtocol };
  });
}

/** Undefined where it is in no database, or in one that nobody has workers for. The same. */
export function workersLook(
  state: StoreSettings,
  ports: StorePorts,
): Promise<WorkersLook | undefined> {
  const { version } = ports;
  return inSession(state, ports, async (session, schema) => {
    const look = await lookAtWorkers(session, schema);
    return look === undefined ? undefined : { ...look, version };
  });
}

async function inSession<T>(
  state: StoreSettings,
  ports: StorePorts,
  look: (session: Session, schema: string) => Promise<T>,
): Promise<T | undefined> {
  if (state.kind !== "postgres") return undefined;
  const access = await openAccess(state, ports);
  const session = await openSession(access);
  try {
    return await look(session, state.schema);
  } catch (error) {
    const location = locationOf(state, ports.environment, ports.user);
    throw inWords({ location, user: access.target.user }, error, "read");
  } finally {
    await session.end();
  }
}
