/** Commands on recorded state alone: list, show, rm, resolve, output, force-unlock. */

import type { BeginEntry } from "../../model/recorded/begin-entry.ts";
import type { JournalEntry } from "../../model/recorded/journal.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import { type Address, toAddress } from "../../model/value/address.ts";
import { CommandError, type WorkspaceEnvironment } from "../environment.ts";
import type { Lock } from "../lock.ts";
import { nearAddressAdvice } from "../near-address.ts";
import { settingsAlone, type WorkspaceOptions } from "../reading.ts";
import { record, withLockedWorkspace, withWorkspace } from "../workspace.ts";
import { notAnAddress } from "../written-address.ts";

/** What commands on recorded state alone need, whatever world it is of. */
export const recordedAlone = { read: settingsAlone, access: "none" } as const;

/** Recorded state as it is; open operations stay open. Takes no lock. */
export async function readStateCommand(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
): Promise<RecordedState> {
  return withWorkspace(environment, options, recordedAlone, async ({ recorded }) => {
    return (await recorded()).state;
  });
}

export async function forceUnlockCommand(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  lockId: string,
): Promise<void> {
  await withWorkspace(environment, options, recordedAlone, ({ store }) =>
    store.forceUnlock(lockId),
  );
}

/** Forgets objects without touching them. Returns what was forgotten. */
export async function removeCommand(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  addresses: readonly string[],
  timeoutMs: number,
): Promise<readonly Address[]> {
  const lock = { operation: "state rm", timeoutMs };
  return changeState(environment, options, lock, (state) => {
    const found = addresses.map((text) => objectAt(state, text));
    const entries = found.flatMap(({ address, objectKey }): JournalEntry[] => [
      { kind: "note", note: { what: "forget", address, objectKey } },
      { kind: "note", note: { what: "clear-restore", address } },
    ]);
    return { entries, value: found.map((object) => object.address) };
  });
}

/** Ends the wait for an operation or a create that nobody saw the end of. */
export async function resolveCommand(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  addressText: string,
  done: boolean,
  timeoutMs: number,
): Promise<string> {
  const address = toAddress(addressText);
  if (address === undefined) {
    throw notAnAddress(addressText);
  }
  const lock = { operation: "state resolve", timeoutMs };
  return changeState(environment, options, lock, (state) => {
    const open = state.open.filter((begin) => begin.subject.address === address);
    if (open.length > 0) return resolveOpen(environment, open, done);
    const object = state.objects.find((item) => item.address === address);
    if (object?.status === "tentative") return resolveTentative(object, done);
    throw new CommandError(
      `Nothing is unsettled at ${address}.`,
      "List what is recorded with: vmform state list",
    );
  });
}

export type StateChange<T> = { readonly entries: readonly JournalEntry[]; readonly value: T };

function resolveOpen(
  environment: WorkspaceEnvironment,
  open: readonly BeginEntry[],
  done: boolean,
): StateChange<string> {
  const entries = open.map(
    (begin): JournalEntry => ({
      kind: "closed",
      planId: begin.planId,
      id: begin.id,
      outcome: done ? "success" : "failed",
      atMs: environment.clock.now(),
      message: "resolved by hand",
    }),
  );
  const ids = open.map((begin) => begin.id).join(", ");
  return { entries, value: `${ids}: recorded as ${done ? "done" : "not done"}` };
}

function resolveTentative(object: RecordedObject, done: boolean): StateChange<string> {
  const { address, objectKey, identity } = object;
  const entry: JournalEntry = done
    ? { kind: "observed", address, objectKey, existence: "found", attributes: {} }
    : { kind: "note", note: { what: "forget", address, objectKey } };
  return { entries: [entry], value: `${identity}: ${done ? "recorded as made" : "forgotten"}` };
}

function objectAt(state: RecordedState, text: string): RecordedObject {
  const address = toAddress(text);
  const object = state.objects.find((item) => item.address === address);
  if (object !== undefined) return object;
  throw nothingRecordedAt(state, text);
}

/** The error for an address without a record, with addresses like it. */
export function nothingRecordedAt({ objects }: RecordedState, text: string): CommandError {
  const address = toAddress(text);
  if (address === undefined) {
    return notAnAddress(text);
  }
  const fix = nearAddressAdvice(
    address,
    objects.map((object) => object.address),
    "List what is recorded with: vmform state list",
  );
  return new CommandError(`Nothing is recorded at ${text}.`, fix);
}

/** Writes entries under the lock. */
export async function changeState<T>(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  lock: Lock,
  work: (state: RecordedState) => StateChange<T>,
): Promise<T> {
  const needs = { ...recordedAlone, lock };
  return withLockedWorkspace(environment, options, needs, async (locked) => {
    const recorded = await locked.recorded();
    const { entries, value } = work(recorded.state);
    const { simulated } = recorded.state;
    const run = { command: lock.operation, simulated, providers: [], entries };
    await record(locked, recorded, run);
    return value;
  });
}
