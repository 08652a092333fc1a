/** What stores that keep one document on a server are given of the run. */

import { readFile } from "node:fs/promises";
import type { HttpClientFactory, HttpLogRecord, HttpTls } from "../../http/call.ts";
import { createHttpClients } from "../../http/client.ts";
import { retryEvent } from "../../http/retry-event.ts";
import type { SecretMask } from "../../lib/mask.ts";
import type { Clock } from "../../model/clock.ts";
import type { EventSink } from "../../model/operation/event.ts";
import { whileWaiting } from "../../model/operation/wait.ts";
import type { SecretReference } from "../../model/value/secret-reference.ts";
import { SecretError } from "../../secrets/secret-error.ts";
import { unusable } from "../../store/document/problems.ts";
import { settingSecretReader } from "../secrets.ts";
import type { Seals } from "./seals.ts";

export type DocumentPorts = Pick<Seals, "lateSealFor"> & {
  readonly environment: { readonly [name: string]: string | undefined };
  readonly mask: SecretMask;
  readonly clock: Clock;
  /** A fresh id. */
  readonly random: () => string;
  readonly host: string;
  readonly process: { readonly pid: number };
  readonly user: string;
  /** Of vmform. */
  readonly version: string;
  readonly events: EventSink;
  readonly log: ((record: HttpLogRecord) => void) | undefined;
};

/** A clock of which people are told what is paused for. */
export function pausingClock({ clock, events }: DocumentPorts, address: string): Clock {
  const what = `pausing before the recorded state at ${address} is asked for again`;
  return {
    ...clock,
    sleep: (ms) => whileWaiting(events, { rank: "request", what }, () => clock.sleep(ms)),
  };
}

/** Clients that write as well: whatever locks is asked by commands that change recorded state. */
export function stateClients(ports: DocumentPorts): HttpClientFactory {
  const { clock, environment, mask, events, log } = ports;
  return createHttpClients({
    clock,
    random: Math.random,
    environment,
    mask,
    readOnly: false,
    events,
    onRetry: (notice) => events(retryEvent(notice)),
    ...(log === undefined ? {} : { log }),
  });
}

/** Throws `StoreError`. `setting` is where the reference stands. */
export async function readStateSecret(
  reference: SecretReference,
  directory: string,
  mask: SecretMask,
  setting: string,
): Promise<string> {
  const secrets = settingSecretReader(directory, mask, reference);
  try {
    return await secrets.read(reference);
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    throw unusable(
      `The secret of the recorded state is missing: ${error.message}.`,
      `Give it where ${setting} says, or take the setting away.`,
      error,
    );
  }
}

/** Throws `StoreError`. */
export async function readTls(
  { caFile, allowUnverified }: { readonly caFile?: string; readonly allowUnverified: boolean },
  setting: string,
): Promise<HttpTls> {
  const ca =
    caFile === undefined
      ? undefined
      : await readFile(caFile, "utf8").catch((error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error);
          throw unusable(`ca_file cannot be read: ${reason}`, `Correct ${setting}.`);
        });
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(allowUnverified ? { allowUnverified: true } : {}),
  };
}
