/** What `vmform doctor` finds out of one endpoint: whom it is taken for, and what it answers. */

import type { Sessions } from "../../engine/sessions.ts";
import { RemoteError, type RemoteErrorKind } from "../../model/operation/remote-error.ts";
import type { Check } from "../../model/provider/check.ts";
import type { ProviderSession, TypeRegistry } from "../../model/provider/provider.ts";
import type { Value } from "../../model/value/value.ts";
import type { WorkspaceEnvironment } from "../environment.ts";

export type DoctorEndpoint = {
  /** Provider with alias. */
  readonly name: string;
  /** Its settings; secrets are references. */
  readonly value: Value;
  /** Requests go to the embedded simulator. */
  readonly simulated: boolean;
};

type DoctorEnvironment = Pick<WorkspaceEnvironment, "clock" | "system" | "types">;

/** Clocks further apart make times of tasks and certificates misleading. */
const skewMaxMs = 60_000;

/** Sends session and read calls only. */
export async function endpointChecks(
  environment: DoctorEnvironment,
  sessions: Sessions,
  endpoint: DoctorEndpoint,
): Promise<readonly Check[]> {
  const way = endpoint.simulated
    ? [check(endpoint, "way", "ok", "the embedded simulator")]
    : wayChecks(environment, endpoint);
  // What settings say of the way cannot be followed; a session would fail with the same words.
  if (way.some(({ status }) => status === "failed")) return way;
  return [...way, ...(await sessionChecks(environment, sessions, endpoint))];
}

function check(
  { name }: DoctorEndpoint,
  part: string,
  status: Check["status"],
  detail: string,
  fix?: string,
): Check {
  return { name: `${name}: ${part}`, status, detail, ...(fix === undefined ? {} : { fix }) };
}

/** How its certificate is checked, and by which proxy it is reached. */
function wayChecks(
  { system }: Pick<WorkspaceEnvironment, "system">,
  endpoint: DoctorEndpoint,
): readonly Check[] {
  const url = setting(endpoint.value, "url");
  // A provider without such a setting has a default, or no endpoint.
  if (typeof url !== "string" || !URL.canParse(url)) return [];
  const { origin, protocol } = new URL(url);
  const checks = [trustCheck(endpoint, protocol)];
  try {
    const proxy = system.proxyOf(origin);
    checks.push(
      check(endpoint, "proxy", "ok", proxy === undefined ? "none" : `by way of ${proxy}`),
    );
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    const fix = "Correct the variable, or name the host in NO_PROXY.";
    checks.push(check(endpoint, "proxy", "failed", error.message, fix));
  }
  return checks;
}

function trustCheck(endpoint: DoctorEndpoint, protocol: string): Check {
  if (protocol === "http:") {
    return check(endpoint, "tls", "ok", "none: plain http");
  }
  if (setting(endpoint.value, "allow_unverified_ssl") === true) {
    const fix = "Set ca_file or thumbprint instead of allow_unverified_ssl.";
    const detail = "the certificate is not checked, so anybody between could read the password";
    return check(endpoint, "tls", "warning", detail, fix);
  }
  const by =
    setting(endpoint.value, "thumbprint") !== null
      ? "by its thumbprint"
      : setting(endpoint.value, "ca_file") !== null
        ? "by ca_file"
        : "by the authorities that Node.js knows";
  return check(endpoint, "tls", "ok", `the certificate is checked ${by}`);
}

async function sessionChecks(
  environment: DoctorEnvironment,
  sessions: Sessions,
  endpoint: DoctorEndpoint,
): Promise<readonly Check[]> {
  const { clock, types } = environment;
  const startedMs = clock.now();
  try {
    const session = await sessions.get(endpoint.name, endpoint.value);
    const seen = await answerOf(session, endpoint.name, types);
    const detail = `${seen}, in ${clock.now() - startedMs} ms`;
    const answered = check(endpoint, "session", "ok", detail);
    return [answered, ...(await clockChecks(environment, session, endpoint))];
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return [check(endpoint, "session", "failed", error.message, fixes[error.kind])];
  }
}

/** Listing proves all at once: reachable, of the right kind, logged in, allowed to read. */
async function answerOf(
  session: ProviderSession,
  provider: string,
  types: TypeRegistry,
): Promise<string> {
  const prefix = `${provider.split(".")[0]}_`;
  const listable = Object.values(types).find(
    ({ name, container }) => name.startsWith(prefix) && container === undefined,
  );
  if (session.list === undefined || listable === undefined) return "its settings can be used";
  const { length } = await session.list(listable.name);
  const version = session.version === undefined ? "" : `version ${await session.version()}, `;
  return `${version}lists ${length} of type ${listable.name}`;
}

async function clockChecks(
  { clock }: Pick<WorkspaceEnvironment, "clock">,
  session: ProviderSession,
  endpoint: DoctorEndpoint,
): Promise<readonly Check[]> {
  if (session.serverTime === undefined) return [];
  const timeMs = await session.serverTime();
  if (timeMs === undefined) return [];
  const skewMs = timeMs - clock.now();
  const apart = `${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs < 0 ? "behind" : "ahead"}`;
  if (Math.abs(skewMs) <= skewMaxMs) return [check(endpoint, "clock", "ok", "as here")];
  const fix = "Set the clocks of both by a time server.";
  return [check(endpoint, "clock", "warning", `the server's is ${apart}`, fix)];
}

function setting(settings: Value, name: string): Value {
  if (settings === null || typeof settings !== "object" || Array.isArray(settings)) return null;
  return Object.entries(settings).find(([key]) => key === name)?.[1] ?? null;
}

const reach = "Check the url, the network, and whether the server is up.";
const later = "Run this again later.";
const fixes: { readonly [kind in RemoteErrorKind]: string } = {
  "not-found": "Check that the url is that of the interface.",
  conflict: later,
  busy: later,
  unauthorized: "Check user, organization and password of the provider.",
  forbidden: "Log in as a user who may read.",
  precondition: later,
  invalid: "Correct the settings of the provider.",
  throttled: later,
  unavailable: reach,
  timeout: reach,
  protocol: "Check that the url is that of the interface, and no proxy or page before it.",
};
