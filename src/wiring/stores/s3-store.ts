/** Recorded state in an object store, with our HTTP client. Loaded when one is asked for. */

import type { CommandStore } from "../../commands/environment.ts";
import { isLoopback } from "../../lib/loopback.ts";
import type { S3StoreSettings } from "../../model/recorded/s3-settings.ts";
import type { StoreCommons } from "../../model/recorded/store-settings.ts";
import { createDocumentStore } from "../../store/document/document-store.ts";
import { unusable } from "../../store/document/problems.ts";
import { placeOf, type S3Keys } from "../../store/s3/place.ts";
import { s3Server } from "../../store/s3/s3-server.ts";
import {
  type DocumentPorts,
  pausingClock,
  readStateSecret,
  readTls,
  stateClients,
} from "./document-ports.ts";
import { openStateExchange } from "./state-exchange.ts";

/** Throws `StoreError` for settings that cannot be used. */
export async function openS3Store(
  settings: S3StoreSettings & StoreCommons,
  ports: DocumentPorts,
): Promise<CommandStore> {
  const { environment, mask, host, user, version } = ports;
  const place = placeOf(settings, environment);
  const { protocol, hostname, origin } = new URL(place.document);
  if (protocol === "http:" && !isLoopback(hostname) && !settings.allowUnverified) {
    throw unusable(
      `${origin} is plain http: what is recorded would be readable, and changed, on its way.`,
      "Use https, or set vmform.state.s3.allow_unverified_ssl: true",
    );
  }
  const keys = await keysOf(settings, ports);
  const tls = await readTls(settings, "vmform.state.s3.ca_file");
  const clients = stateClients(ports);
  const exchange = openStateExchange({ clients, mask, login: undefined, tls });
  const clock = pausingClock(ports, place.address);
  const seal = await ports.lateSealFor(place.address, settings.encryption);
  return createDocumentStore({
    server: s3Server({ place, keys, exchange, clock, version, random: Math.random }),
    newId: ports.random,
    host,
    pid: ports.process.pid,
    user,
    seal,
    beside: settings.beside,
  });
}

async function keysOf(
  { accessKey, secretKey, directory }: S3StoreSettings,
  { environment, mask }: DocumentPorts,
): Promise<S3Keys> {
  const accessKeyId = accessKey ?? environment.AWS_ACCESS_KEY_ID ?? "";
  if (accessKeyId === "") {
    throw unusable(
      "No access key of the bucket is given.",
      "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or vmform.state.s3.access_key and " +
        "secret_key. Profiles and roles of machines are not read.",
    );
  }
  const reference = secretKey ?? ({ kind: "env", name: "AWS_SECRET_ACCESS_KEY" } as const);
  const setting = "vmform.state.s3.secret_key";
  const secretAccessKey = await readStateSecret(reference, directory, mask, setting);
  const sessionToken = accessKey === undefined ? (environment.AWS_SESSION_TOKEN ?? "") : "";
  if (sessionToken === "") return { accessKeyId, secretAccessKey };
  mask.add(sessionToken);
  return { accessKeyId, secretAccessKey, sessionToken };
}
