/** Opening provider sessions: secrets resolved when used, requests dialled to a simulator. */

import type { HttpClientFactory, HttpPorts, RetryNotice, SentRequest } from "../http/call.ts";
import { retryEvent } from "../http/retry-event.ts";
import type { SecretMask } from "../lib/mask.ts";
import type { Clock } from "../model/clock.ts";
import type { EventSink } from "../model/operation/event.ts";
import { RemoteError } from "../model/operation/remote-error.ts";
import type { LoadedPackage, PackageOpening } from "../model/provider/package.ts";
import type { ProviderSession } from "../model/provider/provider.ts";
import { type SecretReference, secretReferenceOf } from "../model/value/secret-reference.ts";
import type { Value, ValueMap } from "../model/value/value.ts";
import type { ProviderPorts } from "./kit/factory.ts";
import { providerNamed } from "./registry.ts";

export type AccessPorts = {
  /** Providers of packages, and what they are given beside their settings. */
  readonly packages?: Pick<PackageOpening, "path" | "log"> & {
    readonly loaded: readonly LoadedPackage[];
  };
  readonly clock: Clock;
  readonly mask: SecretMask;
  readonly events: EventSink;
  /** What a reference stands for, masked from then on. Throws with the reason. */
  readonly readSecret: (reference: SecretReference) => Promise<string>;
  /** A file that settings name and that is no secret, such as a certificate. */
  readonly readTextFile: (path: string) => Promise<string>;
  /** Called for every request that is sent. `provider` carries its alias, as `daemon.east`. */
  readonly onExchange?: (provider: string, sent: Pick<SentRequest, "class" | "method">) => void;
  /** Origin of the embedded simulator of each provider; that of one with its alias comes first. */
  readonly dialTo: { readonly [provider: string]: string } | undefined;
  readonly http: (
    options: Pick<HttpPorts, "readOnly" | "events" | "onRetry" | "onExchange" | "dial">,
  ) => HttpClientFactory | Promise<HttpClientFactory>;
};

export type OpenSession = (
  provider: string,
  settings: Value,
  access: "read" | "mutate",
) => Promise<ProviderSession>;

/** `provider` may carry an alias, as `daemon.east`. */
export function openProviderAccess(ports: AccessPorts): OpenSession {
  return async (provider, settings, access) => {
    const [name = ""] = provider.split(".");
    const known = await resolveSecrets(ports, provider, settings ?? {});
    const loaded = ports.packages?.loaded.find((item) => item.name === name);
    if (ports.packages !== undefined && loaded !== undefined) {
      const { clock, mask } = ports;
      const { path, log } = ports.packages;
      const session = await loaded.open(known, { access, clock, path, log, mask });
      return withSecrets(ports, provider, session, loaded);
    }
    const factory = providerNamed(name);
    if (factory === undefined) {
      const message = `there is no provider ${JSON.stringify(name)} in this version of vmform`;
      throw new RemoteError({ kind: "invalid", effect: "none", message });
    }
    const http = clientOpener(ports, provider, access === "read");
    const readTextFile = (path: string) => readText(ports, provider, path);
    return factory.create({ http, clock: ports.clock, readTextFile }).open(known);
  };
}

/** With an embedded simulator every origin is dialled to it, so none of its ports is recorded. */
function clientOpener(
  ports: AccessPorts,
  provider: string,
  readOnly: boolean,
): ProviderPorts["http"] {
  const [name = ""] = provider.split(".");
  const to = ports.dialTo?.[provider] ?? ports.dialTo?.[name];
  const options = {
    readOnly,
    events: ports.events,
    onRetry: (notice: RetryNotice) => ports.events(retryEvent(notice)),
    onExchange: (sent: SentRequest) => {
      ports.onExchange?.(provider, { class: sent.class, method: sent.method });
    },
  };
  return async (target) => {
    const dial = to === undefined ? {} : { dial: new Map([[target.origin, to]]) };
    return (await ports.http({ ...options, ...dial }))(target);
  };
}

async function readText(ports: AccessPorts, provider: string, path: string): Promise<string> {
  try {
    return await ports.readTextFile(path);
  } catch (cause) {
    const message = `provider ${provider}: cannot read ${path}: ${reasonOf(cause)}`;
    throw new RemoteError({ kind: "invalid", effect: "none", message, cause });
  }
}

/** What is sent has its secrets in place; what is planned and recorded has references. */
function withSecrets(
  ports: AccessPorts,
  provider: string,
  session: ProviderSession,
  { types }: LoadedPackage,
): ProviderSession {
  const send: ProviderSession["send"] = async (operation, deadlineMs) => {
    const { subject, request } = operation;
    const attributes = types.find(({ name }) => name === subject.type)?.schema.attributes ?? {};
    const inputs: { [name: string]: Value } = { ...request.inputs };
    for (const [name, value] of Object.entries(inputs)) {
      const isSecret = Object.hasOwn(attributes, name) && attributes[name]?.sensitive === true;
      if (isSecret) inputs[name] = await resolveSecrets(ports, provider, value);
    }
    return session.send({ ...operation, request: { ...request, inputs } }, deadlineMs);
  };
  return { ...session, send };
}

/** Secrets stand as references, and are read when they are used. */
async function resolveSecrets(ports: AccessPorts, provider: string, value: Value): Promise<Value> {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    return Promise.all(value.map((item: Value) => resolveSecrets(ports, provider, item)));
  }
  const reference = secretReferenceOf(value);
  if (reference !== undefined) return readSecret(ports, provider, reference);
  const resolved: { [name: string]: Value } = {};
  for (const [name, member] of Object.entries(value)) {
    resolved[name] = await resolveSecrets(ports, provider, member);
  }
  return resolved satisfies ValueMap;
}

async function readSecret(
  ports: AccessPorts,
  provider: string,
  reference: SecretReference,
): Promise<string> {
  try {
    return await ports.readSecret(reference);
  } catch (cause) {
    const message = `provider ${provider}: a secret is missing: ${reasonOf(cause)}`;
    throw new RemoteError({ kind: "invalid", effect: "none", message, cause });
  }
}

/** `ENOENT: no such file or directory, open 'password'`. */
function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
