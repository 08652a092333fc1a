/** Who is at the sites that a configuration names. */

import type { SitesLook } from "../../model/fleet/site-agent.ts";
import type { StoreSettings } from "../../model/recorded/store-settings.ts";
import { lookAtSites, skewOf } from "../../queue/sites/presence.ts";
import { siteProtocol } from "../../sites/call.ts";
import { inWords } from "../../store/postgres/database.ts";
import { openSession } from "../../store/postgres/session.ts";
import { locationOf } from "../../store/postgres/target.ts";
import { openAccess } from "../stores/postgres-store.ts";
import type { StorePorts } from "../stores/stores.ts";

/** Undefined where recorded state is in no database. Throws `StoreError`. */
export async function sitesLook(
  state: StoreSettings,
  sites: readonly string[],
  ports: StorePorts,
): Promise<SitesLook | undefined> {
  if (state.kind !== "postgres") return undefined;
  const access = await openAccess(state, ports);
  const session = await openSession(access);
  try {
    const skewMs = await skewOf(session);
    const { version } = ports;
    const looks = await lookAtSites(session, state.schema, sites);
    return { sites: looks, skewMs, version, protocol: siteProtocol };
  } catch (error) {
    const location = locationOf(state, ports.environment, ports.user);
    throw inWords({ location, user: access.target.user }, error, "read");
  } finally {
    await session.end();
  }
}
