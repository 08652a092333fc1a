/** Recorded state that a server keeps, with our HTTP client. Loaded when one is asked for. */

import type { CommandStore } from "../../commands/environment.ts";
import type { HttpTls } from "../../http/call.ts";
import { isLoopback } from "../../lib/loopback.ts";
import type { HttpStoreSettings } from "../../model/recorded/http-settings.ts";
import type { StoreCommons } from "../../model/recorded/store-settings.ts";
import type { SecretReference } from "../../model/value/secret-reference.ts";
import { createDocumentStore } from "../../store/document/document-store.ts";
import { unusable } from "../../store/document/problems.ts";
import type { HttpPlace } from "../../store/http/exchange.ts";
import { httpServer } from "../../store/http/http-server.ts";
import { type HttpLogin, placeOf, requireSafe, tokensIn } from "../../store/http/place.ts";
import {
  type DocumentPorts,
  pausingClock,
  readStateSecret,
  readTls,
  stateClients,
} from "./document-ports.ts";
import { openStateExchange } from "./state-exchange.ts";

/** Throws `StoreError` for settings that cannot be used. */
export async function openHttpStore(
  settings: HttpStoreSettings & StoreCommons,
  ports: DocumentPorts,
): Promise<CommandStore> {
  const { environment, mask, host, user, version } = ports;
  const place = placeOf(settings, environment);
  for (const token of tokensIn(place)) mask.add(token);
  const login = await loginOf(settings, ports, place);
  const tls = await tlsOf(settings, environment);
  const exchange = openStateExchange({ clients: stateClients(ports), mask, login, tls });
  const clock = pausingClock(ports, place.address);
  const seal = await ports.lateSealFor(place.address, settings.encryption);
  return createDocumentStore({
    server: httpServer({ place, exchange, clock, version, random: Math.random }),
    newId: ports.random,
    host,
    pid: ports.process.pid,
    user,
    seal,
    beside: settings.beside,
  });
}

async function loginOf(
  settings: HttpStoreSettings,
  { environment, mask }: DocumentPorts,
  place: HttpPlace,
): Promise<HttpLogin | undefined> {
  const username = settings.username ?? environment.TF_HTTP_USERNAME ?? "";
  const reference = settings.password ?? passwordInEnvironment(environment);
  if (reference === undefined && username === "") return undefined;
  requireSafe(place, settings, isLoopback);
  if (reference === undefined) return { username, password: "" };
  const setting = "vmform.state.http.password";
  return {
    username,
    password: await readStateSecret(reference, settings.directory, mask, setting),
  };
}

function passwordInEnvironment(
  environment: DocumentPorts["environment"],
): SecretReference | undefined {
  const isGiven = (environment.TF_HTTP_PASSWORD ?? "") !== "";
  return isGiven ? { kind: "env", name: "TF_HTTP_PASSWORD" } : undefined;
}

async function tlsOf(
  settings: HttpStoreSettings,
  environment: DocumentPorts["environment"],
): Promise<HttpTls> {
  if ((environment.TF_HTTP_CLIENT_CERTIFICATE_PEM ?? "") !== "") {
    throw unusable(
      "TF_HTTP_CLIENT_CERTIFICATE_PEM is set, and vmform shows no certificate of its own.",
      "Use a user and password, or take the variable away if the server asks for none.",
    );
  }
  const { thumbprint } = settings;
  const { TF_HTTP_CLIENT_CA_CERTIFICATE_PEM: ca = "" } = environment;
  return {
    ...(ca === "" ? {} : { ca }),
    ...(await readTls(settings, "vmform.state.http.ca_file")),
    ...(thumbprint === undefined ? {} : { thumbprint }),
  };
}
