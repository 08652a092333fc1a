/**
 * `vmform state pull` and `push`: recorded state as one text, out and in. What is pushed takes the
 * place of what is recorded, so it has to be a later part of the same history.
 */

import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Seal } from "../../model/recorded/seal.ts";
import { decodeState, encodeState } from "../../state/form/encode.ts";
import { textOfFile } from "../../state/form/file-text.ts";
import { StateFormatError } from "../../state/form/format-error.ts";
import { openState, sealState } from "../../state/form/sealed-text.ts";
import { verifyState } from "../../state/integrity.ts";
import { CommandError, type CommandFiles, type WorkspaceEnvironment } from "../environment.ts";
import type { Configured, Reading, WorkspaceOptions } from "../reading.ts";
import { type LockedWorkspace, withLockedWorkspace, withWorkspace } from "../workspace.ts";
import { recordedAlone } from "./state.ts";

/** Snapshot and journal as one text. Takes no lock. Throws when nothing was ever recorded. */
export async function pullCommand(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
): Promise<string> {
  return withWorkspace(environment, options, recordedAlone, async (workspace) => {
    const { state, fresh } = await workspace.recorded();
    if (fresh) throw new CommandError(`Nothing is recorded at ${workspace.store.location}.`);
    return encodeState(state);
  });
}

export type PushOptions = WorkspaceOptions & {
  readonly file: string;
  /** Also over another history, over later runs, and over open operations. */
  readonly force: boolean;
  readonly lockTimeoutMs: number;
};

export type Pushed =
  /** The file holds what is recorded. */
  | { readonly kind: "same" }
  | {
      readonly kind: "pushed";
      readonly objects: number;
      readonly serial: number;
      /** File with what was recorded before; undefined when nothing was. */
      readonly backup: string | undefined;
    };

/** Holds the lock. Throws `CommandError` before anything is written. */
export async function pushCommand(
  environment: WorkspaceEnvironment,
  options: PushOptions,
): Promise<Pushed> {
  const lock = { operation: "state push", timeoutMs: options.lockTimeoutMs };
  const needs = { read: pushing(environment, options.file), access: "none", lock } as const;
  const work = (locked: Pushing) => pushIn(locked, options);
  return withLockedWorkspace(environment, options, needs, work);
}

type Pushing = LockedWorkspace<Configured & { readonly pushed: RecordedState }>;

function pushing(
  { openSeal }: Pick<WorkspaceEnvironment, "openSeal">,
  file: string,
): Reading<Pushing["configured"]> {
  return async (environment, options) => {
    const { value, diagnostics } = await recordedAlone.read(environment, options);
    const seal = await openSeal(value.settings.state, file);
    const pushed = await readState(environment, file, seal);
    const simulated = value.settings.simulator !== undefined;
    if (pushed.simulated !== simulated) throw otherWorld(file, pushed);
    return { value: { ...value, pushed }, diagnostics };
  };
}

async function pushIn(locked: Pushing, { file, force }: PushOptions): Promise<Pushed> {
  const { environment, configured, store, fence } = locked;
  const { pushed, settings } = configured;
  const { state: present, fresh } = await locked.recorded();
  if (!fresh && sameContents(present, pushed)) return { kind: "same" };
  if (!fresh && !force && !isUnused(present)) refuse(present, pushed, file);
  const state = fresh
    ? { ...pushed, journal: present.journal }
    : { ...pushed, ...continued(present, pushed) };
  const backup = fresh ? undefined : `${settings.state.beside}.serial-${present.serial}.backup`;
  if (backup !== undefined) {
    const seal = await environment.openSeal(settings.state, backup);
    await environment.writeFile(backup, sealState(seal, present, encodeState(present)));
  }
  await store.compact(state, fence);
  // Once more: the backup that goes with the journal is what was pushed, not what was before it.
  const again = { ...state, serial: state.serial + 1 };
  if (!fresh) await store.compact(again, fence);
  const serial = fresh ? state.serial : again.serial;
  return { kind: "pushed", objects: state.objects.length, serial, backup };
}

/** The history that is there goes on, so that every plan made before is stale. */
function continued(
  present: RecordedState,
  pushed: RecordedState,
): Pick<RecordedState, "lineage" | "serial" | "journal"> {
  const { lineage, journal } = present;
  return { lineage, journal, serial: Math.max(present.serial, pushed.serial) + 1 };
}

const pushWhat = "Push what vmform state pull has printed, or a backup of recorded state.";

/** A state that can be read and is sound. Throws `CommandError`, which quotes nothing of it. */
async function readState(
  environment: Pick<CommandFiles, "readFile">,
  file: string,
  seal: Seal,
): Promise<RecordedState> {
  const bytes = await environment.readFile(file);
  try {
    const state = decodeState(openPushed(seal, textOfFile(bytes)));
    const problems = verifyState(state);
    if (problems.length === 0) return state;
    const list = problems.map((problem) => problem.message).join("; ");
    throw new CommandError(`${file} contradicts itself: ${list}.`, pushWhat, "file");
  } catch (error) {
    if (!(error instanceof StateFormatError)) throw error;
    throw new CommandError(`${file} is no recorded state: it ${error.message}.`, pushWhat, "file");
  }
}

/** Who pushes a text has it: one that is not encrypted is as good as what state pull prints. */
function openPushed(seal: Seal, text: string): string {
  return openState({ ...seal, acceptPlain: () => undefined }, text);
}

function otherWorld(file: string, { simulated }: RecordedState): CommandError {
  const [theirs, ours] = simulated ? ["a simulator", "real"] : ["real", "a simulator's"];
  return new CommandError(
    `${file} was recorded against ${theirs} endpoints, and the endpoints here are ${ours}.`,
    "Push it where it belongs, or set another place for the state: vmform.state",
  );
}

/** Whatever run has written them. */
function sameContents(present: RecordedState, pushed: RecordedState): boolean {
  const { lineage, serial, journal } = present;
  return encodeState(present) === encodeState({ ...pushed, lineage, serial, journal });
}

/** As `workspace new` makes it: no run has recorded anything yet. */
function isUnused({ journal, objects }: RecordedState): boolean {
  return journal.position === 0 && objects.length === 0;
}

/** What the same run knew later, as an emergency copy holds it: it has closed what was open. */
function goesOn(present: RecordedState, pushed: RecordedState): boolean {
  const isSameRun = pushed.serial === present.serial && pushed.journal.id === present.journal.id;
  return isSameRun && pushed.journal.position > present.journal.position;
}

function refuse(present: RecordedState, pushed: RecordedState, file: string): void {
  const force = "To push it all the same: --force";
  if (pushed.lineage !== present.lineage) {
    throw new CommandError(
      `${file} belongs to another history (lineage ${pushed.lineage}, here ${present.lineage}).`,
      `Make sure that it is of this configuration. ${force}`,
    );
  }
  if (pushed.serial < present.serial) {
    throw new CommandError(
      `${file} is older than what is recorded (serial ${pushed.serial}, here ${present.serial}).`,
      `What later runs have recorded would be lost: compare with vmform state pull. ${force}`,
    );
  }
  const [open] = present.open;
  if (open === undefined || goesOn(present, pushed)) return;
  throw new CommandError(
    `The operation ${open.id} of an interrupted run is open, and would never be settled.`,
    `Settle it first: vmform apply, or vmform state resolve. ${force}`,
  );
}
