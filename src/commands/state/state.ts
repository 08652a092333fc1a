/** Commands on recorded state alone: list, show, rm, resolve, output, force-unlock. */

import { type Address, toAddress } from "../../model/address.ts";
import { addressesText } from "../../model/address-text.ts";
import type { BeginEntry } from "../../model/begin-entry.ts";
import type { JournalEntry } from "../../model/journal.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded.ts";
import { type CommandEnvironment, CommandError, type CommandStore } from "../environment.ts";
import { takeLock } from "../lock.ts";
import { openStore, readRecorded, requireSettings, type WorkspaceOptions } from "../workspace.ts";
import { notAnAddress } from "../written-address.ts";

/** Recorded state as it is; open operations stay open. Takes no lock. */
export async function readStateCommand(
  environment: CommandEnvironment,
  options: WorkspaceOptions,
): Promise<RecordedState> {
  const { store, simulated } = await storeOf(environment, options);
  return (await readRecorded(environment, store, simulated)).state;
}

export async function forceUnlockCommand(
  environment: CommandEnvironment,
  options: WorkspaceOptions,
  lockId: string,
): Promise<void> {
  const { store } = await storeOf(environment, options);
  await store.forceUnlock(lockId);
}

/** Forgets objects without touching them. Returns what was forgotten. */
export async function removeCommand(
  environment: CommandEnvironment,
  options: WorkspaceOptions,
  addresses: readonly string[],
  lockTimeoutMs: number,
): Promise<readonly Address[]> {
  return changeState(environment, options, "state rm", lockTimeoutMs, (state) => {
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
  environment: CommandEnvironment,
  options: WorkspaceOptions,
  addressText: string,
  done: boolean,
  lockTimeoutMs: number,
): Promise<string> {
  const address = toAddress(addressText);
  if (address === undefined) {
    throw notAnAddress(addressText);
  }
  return changeState(environment, options, "state resolve", lockTimeoutMs, (state) => {
    const open = state.open.filter((begin) => begin.address === address);
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
  environment: CommandEnvironment,
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

/** The error for an address without a record; instances of that resource are named. */
export function nothingRecordedAt({ objects }: RecordedState, text: string): CommandError {
  const address = toAddress(text);
  if (address === undefined) {
    return notAnAddress(text);
  }
  const instances = objects.filter((object) => object.address.startsWith(`${address}[`));
  const list = "List what is recorded with: vmform state list";
  const names = instances.map((object) => object.address);
  const fix = names.length === 0 ? list : `Recorded are its instances ${addressesText(names)}.`;
  return new CommandError(`Nothing is recorded at ${text}.`, fix);
}

/** Writes entries under the lock, a run entry before them, so that saved plans become stale. */
export async function changeState<T>(
  environment: CommandEnvironment,
  options: WorkspaceOptions,
  command: string,
  lockTimeoutMs: number,
  work: (state: RecordedState) => StateChange<T>,
): Promise<T> {
  const { store, simulated } = await storeOf(environment, options);
  const fence = await takeLock(environment, store, command, lockTimeoutMs);
  try {
    const { state, fresh } = await readRecorded(environment, store, simulated);
    const { entries, value } = work(state);
    if (fresh) await store.compact(state, fence);
    const run: JournalEntry = {
      kind: "run",
      command,
      planId: environment.newId(),
      atMs: environment.clock.now(),
      simulated: state.simulated,
      providers: [],
    };
    await store.append([run, ...entries], fence);
    return value;
  } finally {
    await store.unlock(fence);
  }
}

async function storeOf(
  environment: CommandEnvironment,
  options: WorkspaceOptions,
): Promise<{ readonly store: CommandStore; readonly simulated: boolean }> {
  const settings = await requireSettings(environment, options);
  const simulated = settings.simulator !== undefined;
  return { store: openStore(environment, settings), simulated };
}
