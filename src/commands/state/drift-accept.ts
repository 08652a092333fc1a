/**
 * `vmform drift --accept`: an observed value becomes the recorded one, by attribute. Under the
 * lock: what differs is shown, agreed to, read once more, and recorded only if it is still what was
 * shown.
 */

import type { JournalEntry } from "../../model/recorded/journal.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { nowhere } from "../../model/said/problem.ts";
import { type Address, selects, toAddress } from "../../model/value/address.ts";
import { equalValues } from "../../model/value/value.ts";
import { acceptNote } from "../../plan/notes.ts";
import { problem } from "../codes.ts";
import { CommandError, DiagnosticError, type WorkspaceEnvironment } from "../environment.ts";
import { type AcceptedEarlier, acceptedEarlier, acceptingCommand } from "../history/accepted.ts";
import { runsIn, type ToldRun } from "../history/runs.ts";
import type { WorkspaceOptions } from "../reading.ts";
import { type LockedWorkspace, record, withLockedWorkspace } from "../workspace.ts";
import { notAnAddress } from "../written-address.ts";
import {
  type AcceptedValue,
  type ConfigurationEdits,
  configurationEdits,
  noEdits,
} from "./accepted-configuration.ts";
import {
  type Drifting,
  type DriftOptions,
  inSpiteOfErrors,
  lookForDrift,
  type SeenDrift,
} from "./drift.ts";

export type AcceptOptions = WorkspaceOptions & {
  /** `ADDRESS` or `ADDRESS.ATTRIBUTE`, as given. */
  readonly accept: readonly string[];
  readonly writeConfiguration: boolean;
  readonly lockTimeoutMs: number;
  /** Shows it; whether a person, or an option, agrees to it. */
  readonly review: (acceptance: Acceptance) => Promise<boolean>;
};

export type Acceptance = {
  /** Are recorded. */
  readonly values: readonly AcceptedValue[];
  /** Were recorded by an earlier run of the same command, and are still so. */
  readonly already: readonly AcceptedEarlier[];
  readonly configuration: ConfigurationEdits;
  /** Whether the configuration was to be written, and could be read. */
  readonly configured: "read" | "unreadable";
  readonly diagnostics: readonly Diagnostic[];
};

/** `already`: an earlier run has done all of it, and nothing is written. */
export type Accepted = {
  readonly kind: "declined" | "accepted" | "already";
  readonly acceptance: Acceptance;
};

/** Throws `CommandError` where nothing differs, or it is no value, and for what has moved since. */
export async function acceptDriftCommand(
  environment: WorkspaceEnvironment,
  options: AcceptOptions,
): Promise<Accepted> {
  const wishes = options.accept.map(wishOf);
  const lock = { operation: acceptingCommand, timeoutMs: options.lockTimeoutMs };
  const needs = { read: inSpiteOfErrors, access: "read", lock } as const;
  return withLockedWorkspace(environment, options, needs, (locked) =>
    acceptIn(locked, options, wishes),
  );
}

async function acceptIn(
  locked: LockedWorkspace<Drifting>,
  options: AcceptOptions,
  wishes: readonly Wish[],
): Promise<Accepted> {
  const { environment } = locked;
  const looking = lookingAt(options, wishes);
  const recorded = await locked.recorded();
  const seen = await lookForDrift(locked, looking);
  const { types } = environment;
  const looked = { seen, state: recorded.state, runs: await runsIn(locked.store), types };
  const found = wishes.map((wish) => valuesOf(wish, looked));
  const values = unique(found.flatMap((one) => one.values));
  const already = found.flatMap((one) => one.already);
  const standing = unique(already.map(({ value }) => value));
  const configured = seen.report.configuration.status;
  if (configured === "unreadable" && options.writeConfiguration) {
    throw new DiagnosticError(locked.configured.read.diagnostics);
  }
  const configuration =
    configured === "unreadable"
      ? noEdits
      : await configurationEdits(
          { environment, options, seen },
          [...values, ...standing],
          options.writeConfiguration,
        );
  const { diagnostics } = seen.report;
  const told = already.map(({ earlier }) => earlier);
  const acceptance = { values, already: told, configuration, configured, diagnostics };
  if (values.length === 0 && configuration.files.length === 0) {
    await options.review(acceptance);
    return { kind: "already", acceptance };
  }
  // A Ctrl-C at the question ends it, and gives the lock back.
  const isAgreed = await environment.interrupts.untilInterrupted(() => options.review(acceptance));
  if (!isAgreed) return { kind: "declined", acceptance };
  await requireAsShown(locked, looking, acceptance, standing);
  // First the configuration: a run that dies in between leaves what each plan accepts by itself.
  for (const { path, text } of configuration.files) await environment.rewriteFile(path, text);
  if (values.length === 0) return { kind: "accepted", acceptance };
  await record(locked, recorded, {
    command: acceptingCommand,
    simulated: recorded.state.simulated,
    providers: [],
    entries: entriesOf(environment, recorded.state, acceptance.values),
  });
  return { kind: "accepted", acceptance };
}

type Wish = { readonly text: string; readonly address: Address; readonly attribute?: string };

function wishOf(text: string): Wish {
  const whole = toAddress(text);
  if (whole !== undefined) return { text, address: whole };
  const [, before = "", attribute = ""] = /^(.+)\.([A-Za-z_][A-Za-z0-9_]*)$/s.exec(text) ?? [];
  const address = toAddress(before);
  if (address === undefined) throw notAnAddress(text);
  return { text, address, attribute };
}

function lookingAt(options: AcceptOptions, wishes: readonly Wish[]): DriftOptions {
  const targets = [...new Set(wishes.map(({ address }) => address))];
  const { directory, variables, variableFiles } = options;
  return {
    ...{ directory, variables, variableFiles, targets, excludes: [], outputs: [] },
    ...{ unmanaged: false, allowEmpty: false, settle: false },
  };
}

type Looked = {
  readonly seen: SeenDrift;
  readonly state: RecordedState;
  readonly runs: readonly ToldRun[];
  readonly types: WorkspaceEnvironment["types"];
};

type Named = {
  readonly values: readonly AcceptedValue[];
  readonly already: readonly { readonly earlier: AcceptedEarlier; readonly value: AcceptedValue }[];
};

/**
 * What differs of what was named: it must, or an earlier run must have accepted it, or a slip would
 * look like something that was done.
 */
function valuesOf({ text, address, attribute }: Wish, looked: Looked): Named {
  const { state } = looked;
  const { report, observations } = looked.seen;
  const objects = report.objects.filter(
    (object) => object.objectKey === "current" && selects(address, object.address),
  );
  const values = objects.flatMap((object): readonly AcceptedValue[] => {
    const { verdict, type, ignoredBy } = object;
    const at = object.address;
    if (verdict === "missing" || ignoredBy !== undefined) {
      throw new CommandError(
        `${at} is missing, which is no value to accept.`,
        "To forget it: vmform state rm. To make it anew: vmform apply.",
      );
    }
    if (state.open.some(({ subject }) => subject.address === at)) {
      throw new CommandError(
        `An operation of an interrupted run on ${at} is open, so nothing of it is accepted.`,
        "Settle it first: vmform apply, or vmform state resolve.",
      );
    }
    const known = recordedAt(state, at);
    const found = observations.get(at);
    if (known === undefined || found?.status !== "found") return [];
    const differing = [...object.drifted, ...object.ignored].filter(
      (item) => item.class !== "config-change" && item.attribute === (attribute ?? item.attribute),
    );
    return differing.map(({ attribute: name, sensitive }) => {
      const recorded = known.attributes[name] ?? null;
      const observed = found.attributes[name] ?? null;
      return { address: at, type, attribute: name, recorded, observed, sensitive };
    });
  });
  if (values.length > 0) return { values, already: [] };
  const already = objects.flatMap((object) => alreadyOf(object, attribute, looked));
  if (already.length > 0) return { values, already };
  const unread = objects.filter(({ verdict }) => verdict === "unknown");
  const why = unread.map((object) => object.reason ?? "it could not be read").join("; ");
  throw new CommandError(
    unread.length > 0
      ? `${text} could not be checked, so nothing of it is accepted: ${why}.`
      : `Nothing of ${text} differs from what is recorded, so there is nothing to accept.`,
    "vmform drift shows what differs, and what could not be read.",
  );
}

/** What an earlier run has accepted of an object, and is as it was recorded then. */
function alreadyOf(
  { address, type }: SeenDrift["report"]["objects"][number],
  attribute: string | undefined,
  { seen, state, runs, types }: Looked,
): Named["already"] {
  const known = recordedAt(state, address);
  const found = seen.observations.get(address);
  if (known === undefined || found?.status !== "found") return [];
  return acceptedEarlier(runs, known).flatMap((earlier) => {
    const name = earlier.attribute;
    const value = found.attributes[name];
    if (attribute !== undefined && attribute !== name) return [];
    if (value === undefined || !equalValues(value, known.attributes[name] ?? null)) return [];
    const sensitive = types[type]?.schema.attributes[name]?.sensitive !== false;
    const byHand = attribute === undefined ? ({ byHand: true } as const) : {};
    const same = { recorded: value, observed: value, sensitive, ...byHand };
    return [{ earlier, value: { address, type, attribute: name, ...same } }];
  });
}

/** A move that the configuration tells of and no apply has recorded yet has another address. */
function recordedAt({ objects }: RecordedState, address: Address): RecordedObject | undefined {
  const object = objects.find((item) => item.address === address && item.objectKey === "current");
  if (object !== undefined) return object;
  throw new CommandError(
    `${address} is recorded by another address, until an apply records the move.`,
    "Apply that first: vmform apply.",
  );
}

/** Named twice, it is accepted once. */
function unique(values: readonly AcceptedValue[]): readonly AcceptedValue[] {
  const known = new Map(
    values.map((item) => [JSON.stringify([item.address, item.attribute]), item]),
  );
  return [...known.values()];
}

/** Meanwhile a person has read it: what is written must still be what was shown. */
async function requireAsShown(
  locked: LockedWorkspace<Drifting>,
  looking: DriftOptions,
  { values, configuration }: Acceptance,
  already: readonly AcceptedValue[],
): Promise<void> {
  const { environment } = locked;
  const { observations } = await lookForDrift(locked, looking);
  for (const { address, attribute, observed } of [...values, ...already]) {
    const now = observations.get(address);
    const value = now?.status === "found" ? now.attributes[attribute] : undefined;
    if (value !== undefined && equalValues(value, observed)) continue;
    const detail = `${attribute} of ${address} is not what was shown any more.`;
    throw new DiagnosticError([problem(nowhere, "CLI034", { detail })]);
  }
  for (const { path, read } of configuration.files) {
    if (Buffer.compare(await environment.readFile(path), read) === 0) continue;
    const detail = `${path} has changed since it was shown what would be written to it.`;
    throw new DiagnosticError([problem(nowhere, "CLI034", { detail })]);
  }
}

function entriesOf(
  { types }: Pick<WorkspaceEnvironment, "types">,
  state: RecordedState,
  values: readonly AcceptedValue[],
): readonly JournalEntry[] {
  return [...new Set(values.map(({ address }) => address))].flatMap((address) => {
    const object = recordedAt(state, address);
    if (object === undefined) return [];
    const own = values.filter((item) => item.address === address);
    const attributes = Object.fromEntries(own.map((item) => [item.attribute, item.observed]));
    const held = Object.entries(object.unaccepted ?? {}).filter(
      ([name]) => !Object.hasOwn(attributes, name),
    );
    const unaccepted = held.length === 0 ? {} : { unaccepted: Object.fromEntries(held) };
    const base = { kind: "observed", address, objectKey: "current", existence: "found" } as const;
    return [{ ...base, attributes, ...unaccepted }, ...acceptNote(object, attributes, types)];
  });
}
