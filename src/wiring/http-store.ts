/** Recorded state that a server keeps, with our HTTP client. Loaded when one is asked for. */

import { readFile } from "node:fs/promises";
import type { CommandStore } from "../commands/environment.ts";
import type { HttpLogRecord, HttpTls, RetryNotice } from "../http/call.ts";
import { createHttpClients } from "../http/client.ts";
import { isLoopback } from "../http/connection/proxy.ts";
import type { SecretMask } from "../lib/mask.ts";
import type { Clock } from "../model/clock.ts";
import type { EventSink } from "../model/operation/event.ts";
import type { HttpStoreSettings } from "../model/recorded/http-settings.ts";
import type { SecretReference } from "../model/value/secret-reference.ts";
import { SecretError } from "../secrets/secret-error.ts";
import type { HttpPlace } from "../store/http/exchange.ts";
import { createHttpStore } from "../store/http/http-store.ts";
import { type HttpLogin, placeOf, requireSafe, unusable } from "../store/http/place.ts";
import { secretReader } from "./secrets.ts";
import { openStateExchange } from "./state-exchange.ts";

export type HttpStorePorts = {
  readonly environment: { readonly [name: string]: string | undefined };
  readonly mask: SecretMask;
  readonly clock: Clock;
  /** A fresh id. */
  readonly random: () => string;
  readonly host: string;
  readonly process: { readonly pid: number };
  readonly user: string;
  readonly version: string;
  readonly events: EventSink;
  readonly log: ((record: HttpLogRecord) => void) | undefined;
};

/** Throws `StoreError` for settings that cannot be used. */
export async function openHttpStore(
  settings: HttpStoreSettings & { readonly beside: string },
  ports: HttpStorePorts,
): Promise<CommandStore> {
  const { clock, environment, mask, events, log, host, user, version } = ports;
  const place = placeOf(settings, environment);
  const login = await loginOf(settings, ports, place);
  const clients = createHttpClients({
    clock,
    random: Math.random,
    environment,
    mask,
    readOnly: false,
    events,
    onRetry: (notice) => events(retried(notice)),
    ...(log === undefined ? {} : { log }),
  });
  const tls = await tlsOf(settings, environment);
  const exchange = openStateExchange({ clients, mask, login, tls });
  return createHttpStore({
    place,
    exchange,
    clock,
    version,
    random: Math.random,
    newId: ports.random,
    host,
    pid: ports.process.pid,
    user,
    beside: settings.beside,
  });
}

async function loginOf(
  settings: HttpStoreSettings,
  ports: HttpStorePorts,
  place: HttpPlace,
): Promise<HttpLogin | undefined> {
  const { environment } = ports;
  const username = settings.username ?? environment.TF_HTTP_USERNAME ?? "";
  const reference = settings.password ?? passwordInEnvironment(environment);
  if (reference === undefined && username === "") return undefined;
  requireSafe(place, settings, isLoopback);
  try {
    if (reference === undefined) return { username, password: "" };
    const secrets = secretReader(settings.directory, ports.mask);
    if (reference.kind === "command") secrets.allowCommands({ command: reference.words });
    return { username, password: await secrets.read(reference) };
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    throw unusable(
      `The password of the recorded state is missing: ${error.message}.`,
      "Give it where vmform.state.http.password says, or take the setting away.",
      error,
    );
  }
}

function passwordInEnvironment(
  environment: HttpStorePorts["environment"],
): SecretReference | undefined {
  const isGiven = (environment.TF_HTTP_PASSWORD ?? "") !== "";
  return isGiven ? { kind: "env", name: "TF_HTTP_PASSWORD" } : undefined;
}

async function tlsOf(
  { caFile, thumbprint, allowUnverified }: HttpStoreSettings,
  environment: HttpStorePorts["environment"],
): Promise<HttpTls> {
  if ((environment.TF_HTTP_CLIENT_CERTIFICATE_PEM ?? "") !== "") {
    throw unusable(
      "TF_HTTP_CLIENT_CERTIFICATE_PEM is set, and vmform shows no certificate of its own.",
      "Use a user and password, or take the variable away if the server asks for none.",
    );
  }
  const ca =
    caFile === undefined
      ? environment.TF_HTTP_CLIENT_CA_CERTIFICATE_PEM
      : await readFile(caFile, "utf8").catch((error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error);
          throw unusable(`ca_file cannot be read: ${reason}`, "Correct vmform.state.http.ca_file.");
        });
  return {
    ...(ca === undefined || ca === "" ? {} : { ca }),
    ...(thumbprint === undefined ? {} : { thumbprint }),
    ...(allowUnverified ? { allowUnverified: true } : {}),
  };
}

function retried({ method, path, message, pauseMs, repeat, repeatMax }: RetryNotice) {
  const next = `next try in ${Math.ceil(pauseMs / 1000)} s (${repeat}/${repeatMax})`;
  return {
    kind: "request-retried",
    request: `${method} ${path}`,
    message: `${message}; ${next}`,
  } as const;
}
