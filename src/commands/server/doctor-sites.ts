/** What `vmform doctor` says of sites: whether an agent is there, which, and what clocks say. */

import type { Configuration } from "../../config/load.ts";
import { clockText } from "../../lib/time/clock-text.ts";
import type { SiteAgent, SiteLook, SitesLook } from "../../model/fleet/site-agent.ts";
import type { Check } from "../../model/provider/check.ts";
import type { StoreSettings } from "../../model/recorded/store-settings.ts";
import { isMap } from "../../model/value/value.ts";
import type { WorkspaceEnvironment } from "../environment.ts";

/** Beyond that, what must not begin after its time may begin after it, or never. */
const skewMaxMs = 5_000;

/** Sites that providers of the configuration name, each once. */
export function sitesOf(configuration: Configuration | undefined): readonly string[] {
  const named = (configuration?.providers ?? []).flatMap(({ settings }) => {
    const via = isMap(settings) ? settings.via : undefined;
    return typeof via === "string" ? [via] : [];
  });
  return [...new Set(named)].toSorted();
}

/** Throws `StoreError`. */
export async function siteChecks(
  { lookAtSites, clock }: WorkspaceEnvironment,
  state: StoreSettings,
  sites: readonly string[],
): Promise<readonly Check[]> {
  const look = sites.length === 0 ? undefined : await lookAtSites?.(state, sites);
  if (look === undefined) return [];
  return look.sites.map((site) => siteCheck(look, site, clock.now()));
}

function siteCheck(look: SitesLook, { site, agent }: SiteLook, nowMs: number): Check {
  const name = `site ${site}`;
  const data = { site, agent: agent === undefined ? null : agentData(agent), ...clocksOf(look) };
  if (agent === undefined) {
    return {
      ...{ name, status: "warning", detail: "no agent is there", data },
      fix: `Start one at the site: vmform agent --site ${site}`,
    };
  }
  const { version, host, protocol, readOnly, sinceMs, skewMs } = agent;
  const reading = readOnly ? ", which only reads" : "";
  const detail =
    `agent of vmform ${version} on ${host}${reading}, since ${clockText(sinceMs, nowMs)} ` +
    `(protocol ${protocol}); against the clock of the database, that of the agent is ` +
    `${secondsText(skewMs)} and that of this machine ${secondsText(look.skewMs)}`;
  const problem = problemOf(look, agent, nowMs);
  return { name, status: problem?.status ?? "ok", detail, data, ...fixOf(problem) };
}

function fixOf(problem: { readonly fix: string } | undefined): Pick<Check, "fix"> {
  return problem === undefined ? {} : { fix: problem.fix };
}

function problemOf(
  look: SitesLook,
  agent: SiteAgent,
  nowMs: number,
): { readonly status: "warning" | "failed"; readonly fix: string } | undefined {
  if (agent.silentSinceMs !== undefined) {
    const since = clockText(agent.silentSinceMs, nowMs);
    return {
      status: "failed",
      fix: `It is silent since ${since}: end it, or start another one, which takes its place.`,
    };
  }
  if (agent.protocol !== look.protocol) {
    const fix = `Calls cannot be handed to it: install vmform ${look.version} on both sides.`;
    return { status: "failed", fix };
  }
  if (Math.abs(agent.skewMs) > skewMaxMs || Math.abs(look.skewMs) > skewMaxMs) {
    return { status: "warning", fix: "Set the clocks, by NTP, of all three machines." };
  }
  if (agent.version === look.version) return undefined;
  return {
    status: "warning",
    fix: `This is vmform ${look.version}: it works, but install one version on both sides.`,
  };
}

/** Such as `0.2 s ahead`. */
function secondsText(ms: number): string {
  const seconds = (Math.abs(ms) / 1000).toFixed(1);
  if (seconds === "0.0") return "right";
  return `${seconds} s ${ms > 0 ? "ahead" : "behind"}`;
}

function agentData(agent: SiteAgent) {
  const { version, protocol, readOnly, host, sinceMs, skewMs, silentSinceMs } = agent;
  return {
    ...{ version, protocol, read_only: readOnly, host },
    since: new Date(sinceMs).toISOString(),
    clock_ahead_ms: Math.round(skewMs),
    ...(silentSinceMs === undefined ? {} : { silent_since: new Date(silentSinceMs).toISOString() }),
  };
}

function clocksOf({ skewMs }: SitesLook) {
  return { clock_ahead_ms: Math.round(skewMs) };
}
