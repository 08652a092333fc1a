/**
 * `vmform import`: an object that exists joins recorded state. Reads, under the lock, and sends
 * nothing that changes anything.
 */

import type { Configuration } from "../../config/load.ts";
import { endpointOf } from "../../engine/look/endpoints.ts";
import { quotedWord } from "../../lib/shell-word.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import { whileWaiting } from "../../model/operation/wait.ts";
import type { DesiredInstance } from "../../model/plan/desired.ts";
import type { Observation } from "../../model/provider/observation.ts";
import type { Endpoint } from "../../model/recorded/endpoint.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import { type Address, encloses, toAddress } from "../../model/value/address.ts";
import type { Attributes, Value } from "../../model/value/value.ts";
import { importedObject, parsedIdentity } from "../../plan/before/imports.ts";
import { otherObject } from "../../plan/before/lookup.ts";
import { applyMoves } from "../../plan/before/moves.ts";
import { type WantedObject, wantedObjects } from "../../plan/before/wanted.ts";
import { selectAll } from "../../plan/input.ts";
import { recordedKey } from "../../plan/keys.ts";
import { CommandError, type WorkspaceEnvironment } from "../environment.ts";
import { nearAddressAdvice } from "../near-address.ts";
import { completeToRead } from "../plan/complete.ts";
import { type Reading, soundConfiguration, type WorkspaceOptions } from "../reading.ts";
import { type LockedWorkspace, record, withLockedWorkspace } from "../workspace.ts";
import { notAnAddress } from "../written-address.ts";
import { refuseRecordOnly } from "./importable-types.ts";

export type ImportOptions = WorkspaceOptions & {
  readonly address: string;
  /** What the remote side calls the object. */
  readonly id: string;
  readonly lockTimeoutMs: number;
};

export type Imported = {
  readonly address: Address;
  readonly identity: string;
  readonly attributes: Attributes;
};

/** Throws `CommandError` for an address or an object that cannot be imported. */
export async function importCommand(
  environment: WorkspaceEnvironment,
  options: ImportOptions,
): Promise<Imported> {
  const lock = { operation: "import", timeoutMs: options.lockTimeoutMs };
  const needs = { read: importing(options), access: "read", lock } as const;
  return withLockedWorkspace(environment, options, needs, (locked) => importInto(locked, options));
}

type Meant = {
  readonly instance: DesiredInstance;
  /** What the remote side calls the object, in the words of its type. */
  readonly id: string;
};

type Importing = Configuration & Meant;

type KnownTypes = Pick<WorkspaceEnvironment, "types">;

/** A slip of the pen should not wait for the lock. */
function importing(options: ImportOptions): Reading<Configuration & Partial<Meant>> {
  return async (environment, workspace) => {
    const { value: desired, diagnostics } = await soundConfiguration(environment, workspace);
    if (mayBecome(desired, options.address)) return { value: desired, diagnostics };
    return { value: { ...desired, ...meant(environment, desired, options) }, diagnostics };
  };
}

/** Whether an instance of that address may come of what is still to be read. */
function mayBecome({ leftOut = [] }: Configuration, address: string): boolean {
  return leftOut.some((one) => encloses(one, address));
}

function meant(
  environment: KnownTypes,
  desired: Configuration,
  { address, id }: ImportOptions,
): Meant {
  const instance = declaredInstance(desired, address);
  return { instance, id: identityOf(environment, instance, id) };
}

async function importInto(
  locked: LockedWorkspace<Configuration & Partial<Meant>>,
  options: ImportOptions,
): Promise<Imported> {
  const { configured, environment } = locked;
  const { instance, id } = configured;
  if (instance !== undefined && id !== undefined) {
    return importIn({ ...locked, configured: { ...configured, instance, id } });
  }
  const { state } = await locked.recorded();
  const target = toAddress(options.address);
  const select = { ...selectAll, targets: target === undefined ? [] : [target] };
  const completing = async (): Promise<Configuration> =>
    completeToRead(locked, await locked.connect(), state, configured, select);
  const desired = await environment.interrupts.untilInterrupted(completing);
  const own = { ...desired, ...meant(environment, desired, options) };
  return importIn({ ...locked, configured: own });
}

async function importIn(locked: LockedWorkspace<Importing>): Promise<Imported> {
  const { environment, configured: desired, simulated } = locked;
  const { instance, id } = desired;
  const { types } = environment;
  const recorded = await locked.recorded();
  const { objects } = applyMoves(recorded.state, desired.moved, { desired, types }).recorded;
  const present = { ...recorded.state, objects };
  refuseRecorded(present, instance, id);
  const wanted = wantedObject(environment, desired, objects, instance);
  const what = `reading what ${id} is`;
  const read = () =>
    whileWaiting(environment.events, { rank: "phase", what }, () => readObject(locked));
  const { observation, endpoint } = await environment.interrupts.untilInterrupted(read);
  const found = foundOf(observation, id);
  const { address, provider, type } = instance;
  const { identity, attributes } = found;
  refuseOtherKind(environment, instance, found, id);
  // What a person calls it may be less than what it is recorded as.
  refuseRecorded(present, instance, identity);
  const named = { address, type, provider, identity, endpoint };
  const object = importedObject(named, types, instance);
  requireKey(environment, wanted, { ...object, attributes });
  requireMeant(environment, wanted, found);
  await record(locked, recorded, {
    command: "import",
    simulated,
    providers: desired.providers
      .filter(({ name }) => name === provider)
      .map(({ name, settings }) => ({ name, settings })),
    entries: [
      { kind: "note", note: { what: "adopt", object } },
      { kind: "observed", address, objectKey: "current", existence: "found", attributes },
    ],
  });
  return { address, identity, attributes };
}

/** What stands under the id may be something that the type does not manage. */
function refuseOtherKind(
  { types }: KnownTypes,
  { address, type }: DesiredInstance,
  { attributes }: Extract<Observation, { status: "found" }>,
  id: string,
): void {
  const other = types[type]?.otherKind?.(attributes);
  if (other === undefined) return;
  throw new CommandError(
    `${JSON.stringify(id)} is no object such as ${address}: ${other}.`,
    "Choose another key for the object of the configuration; this one is left alone.",
  );
}

function identityOf(
  { types }: KnownTypes,
  { address, type }: DesiredInstance,
  text: string,
): string {
  refuseRecordOnly(types[type]);
  const id = parsedIdentity(types[type], text);
  if (id !== undefined) return id;
  throw new CommandError(
    `${JSON.stringify(text)} is no id of an object such as ${address}.`,
    `The page of ${type} says what it calls an object.`,
  );
}

function declaredInstance(desired: Configuration, text: string): DesiredInstance {
  const address = toAddress(text);
  const instance = desired.instances.find((item) => item.address === address);
  if (instance !== undefined) return instance;
  if (address === undefined) {
    throw notAnAddress(text);
  }
  throw new CommandError(
    `${address} is not in the configuration, which says what an imported object is to be like.`,
    nearAddressAdvice(
      address,
      desired.instances.map((item) => item.address),
      "Declare the resource first, or write one for each object: vmform import --all TYPE",
    ),
  );
}

/** What the configuration means by the address, as far as recorded objects tell what it names. */
function wantedObject(
  { types }: KnownTypes,
  desired: Configuration,
  objects: readonly RecordedObject[],
  { address }: DesiredInstance,
): WantedObject | undefined {
  const found = objects.filter(
    ({ type, objectKey }) => types[type]?.ownership === "attached" && objectKey === "current",
  );
  const byAddress = new Map(found.map((object) => [object.address, object]));
  return wantedObjects(desired.instances, types, new Map(), byAddress).get(address);
}

/** What is imported must be the object that the configuration means. */
function requireKey(
  { types }: KnownTypes,
  wanted: WantedObject | undefined,
  object: RecordedObject,
): void {
  if (types[object.type]?.ownership === "attached") return;
  const key = wanted?.identity;
  if (key === undefined) {
    // Once it is recorded, a plan no longer asks whether it is the object that is meant.
    throw new CommandError(
      `The key of ${object.address} is made of what is not recorded yet.`,
      "Import what it refers to first, or let a plan import both, by entries of imports.",
    );
  }
  if (key === object.identity || key === recordedKey(types, object)) return;
  throw new CommandError(
    `The configuration says that ${object.address} is ${key}, not ${object.identity}.`,
    "Make the key attributes of the resource those of the object, or correct the id.",
  );
}

/** An attached object has no key; what it is looked up by must be that of the object. */
function requireMeant(
  { types }: KnownTypes,
  wanted: WantedObject | undefined,
  { identity, attributes }: Extract<Observation, { status: "found" }>,
): void {
  const type = types[wanted?.instance.type ?? ""];
  if (wanted === undefined || type?.ownership !== "attached") return;
  const other = otherObject(type, wanted.attributes, attributes);
  if (other === undefined) return;
  throw new CommandError(
    `${identity} is not what the configuration means by ${wanted.instance.address}: ${other}.`,
    "Correct the id, or what the object is looked up by.",
  );
}

function refuseRecorded(
  state: RecordedState,
  { address, provider, type }: DesiredInstance,
  id: string,
): void {
  const present = state.objects;
  const recorded = present.find((object) => object.address === address);
  if (recorded !== undefined) {
    throw new CommandError(
      `${address} is recorded already, as ${recorded.identity}.`,
      "To record another object there, forget this one first: " +
        `vmform state rm ${quotedWord(address)}`,
    );
  }
  const holder = present.find(
    (object) => object.provider === provider && object.type === type && object.identity === id,
  );
  if (holder !== undefined) {
    throw new CommandError(
      `${id} is recorded already, as ${holder.address}.`,
      "To give it this address: " +
        `vmform state mv ${quotedWord(holder.address)} ${quotedWord(address)}`,
    );
  }
  const open = state.open.find(
    (begin) =>
      begin.subject.address === address ||
      (begin.subject.provider === provider &&
        begin.subject.type === type &&
        begin.subject.identity === id),
  );
  if (open === undefined) return;
  throw new CommandError(
    `The operation ${open.id} of an interrupted run is open, and may be about this object.`,
    "Settle it first: vmform apply, or vmform state resolve.",
  );
}

async function readObject(
  locked: LockedWorkspace<Importing>,
): Promise<{ readonly observation?: Observation; readonly endpoint: Endpoint | undefined }> {
  const { configured } = locked;
  const { id, instance } = configured;
  const { address, type, provider } = instance;
  const { sessions } = await locked.connect();
  try {
    const session = await sessions.get(provider, settingsOf(configured, provider));
    const [observation] = await session.read([{ address, type, identity: id, attributes: [] }]);
    const endpoint = await endpointOf(session);
    return observation === undefined ? { endpoint } : { observation, endpoint };
  } catch (error) {
    if (error instanceof RemoteError) throw unreadable(id, error.message);
    throw error;
  }
}

function settingsOf(desired: Configuration, provider: string): Value {
  return desired.providers.find(({ name }) => name === provider)?.settings ?? null;
}

function foundOf(
  observation: Observation | undefined,
  id: string,
): Extract<Observation, { status: "found" }> {
  if (observation === undefined) throw unreadable(id, "the provider said nothing of it");
  switch (observation.status) {
    case "found":
      return observation;
    case "missing":
      throw new CommandError(
        `There is no ${id}: ${observation.proof}.`,
        "Correct the id, or let vmform apply create the object.",
      );
    case "unreadable":
      throw unreadable(id, observation.reason);
  }
}

function unreadable(id: string, reason: string): CommandError {
  return new CommandError(
    `${id} could not be read, so nothing was recorded: ${reason}.`,
    "Try again when it can be read.",
  );
}
