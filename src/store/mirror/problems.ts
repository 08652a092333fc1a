/** What is told of a mirror, one function and one code per cause. */

import type { LockInfo } from "../../lib/lock/lock-info.ts";
import { agoText } from "../../lib/time/ago-text.ts";
import { clockText } from "../../lib/time/clock-text.ts";
import { StoreError } from "../../model/recorded/store.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { nowhere } from "../../model/said/problem.ts";
import { warning } from "../../state/codes.ts";
import type { StateFormatError } from "../../state/form/format-error.ts";
import { describeSystemError, fixForWriting, storeError } from "../kit/problems.ts";
import type { Fork } from "./head.ts";

/** What a mirror holds, in the words of every message. */
export type Held = {
  readonly of: string;
  readonly asOfMs: number;
  /** Of the store, as far as the mirror knows it. */
  readonly position: number;
};

function entriesText(count: number): string {
  return count === 1 ? "1 entry" : `${count} entries`;
}

function heldText({ of, asOfMs, position }: Held, nowMs: number): string {
  const when = `as of ${agoText(nowMs - asOfMs)} (${clockText(asOfMs)})`;
  return `mirror of ${of} ${when}, position ${position}`;
}

/** For everything that was read from it; `count` entries were applied from it since. */
export function fromMirror(held: Held, count: number, nowMs: number): Diagnostic {
  const since = count === 0 ? "" : ` ${entriesText(count)} applied from it came after that.`;
  return warning(nowhere, "STO070", {
    detail:
      `Recorded state was not asked for at its store. This is the ${heldText(held, nowMs)}.` +
      `${since} What others did since is not in it.`,
    fix: "Leave out --state-from when the store can be reached again.",
  });
}

export function noMirror(of: string): StoreError {
  return storeError(
    "STO071",
    `There is no mirror of ${of} on this machine, in this folder: none was kept yet.`,
    "It is kept by every command that reads or writes the store. Until it can be reached, use a " +
      "folder or a machine where one ran before.",
  );
}

/** `why` completes "the mirror …". */
export function unusableMirror(of: string, path: string, error: unknown): StoreError {
  return storeError(
    "STO072",
    `The mirror of ${of} cannot be used: ${whyText(path, error)}`,
    isFormatError(error) && error.problem === "newer"
      ? "A later version of vmform wrote it: use that version, or a later one."
      : "It is kept anew as soon as the store is read. If something was applied from it that is " +
          "not merged yet, put it aside first: vmform state mirror --discard NAME.",
    error,
  );
}

function whyText(path: string, error: unknown): string {
  const text = describeSystemError(error);
  const end = text.endsWith(".") ? "" : ".";
  return isFormatError(error) ? `the file ${path} ${text}${end}` : `${text}${end}`;
}

function isFormatError(error: unknown): error is StateFormatError {
  return error instanceof Error && error.name === "StateFormatError";
}

/** Nothing fails for want of a mirror. */
export function unkeptMirror(of: string, path: string, error: unknown): Diagnostic {
  return warning(nowhere, "STO073", {
    detail:
      `The mirror of ${of} could not be kept: ${whyText(path, error)} The command itself is not ` +
      "concerned.",
    fix: "Mend what the system reports, or there is nothing to go on with when the store is away.",
  });
}

export function storeBehind(of: string, here: number, there: number): Diagnostic {
  return warning(nowhere, "STO074", {
    detail:
      `${there === 0 ? "Nothing is recorded at" : "What is recorded at"} ${of}` +
      `${there === 0 ? "" : ` ends at position ${there}`}, and this machine has seen it at ` +
      `position ${here}: an earlier version was put back there, or something was lost. The ` +
      "mirror stays as it is.",
    fix:
      "If it was put back on purpose: vmform state mirror --discard NAME. Else compare: vmform " +
      "show --state-from mirror",
  });
}

export function merged(of: string, count: number, { base, who, host, sinceMs }: Fork): Diagnostic {
  return warning(nowhere, "STO075", {
    detail:
      `${entriesText(count)} that ${who} on ${host} has applied from the mirror ` +
      `since ${clockText(sinceMs)} were merged into ${of}, after position ` +
      `${base.journal.position}.`,
  });
}

/** What is shown has them; the next run that takes the lock merges them. */
export function yetToMerge(of: string, count: number, { base }: Fork): Diagnostic {
  return warning(nowhere, "STO075", {
    detail:
      `${entriesText(count)} were applied from the mirror of ${of} after position ` +
      `${base.journal.position}. They are taken into account here, and are merged by the next ` +
      "command that takes the lock.",
  });
}

/** Neither is thrown away by anybody but the user. */
export type Refused = { readonly of: string; readonly name: string; readonly why: string };

function refusedText({ of, why }: Refused, count: number, fork: Fork): string {
  const { who, host, sinceMs, base } = fork;
  return (
    `What ${who} on ${host} has applied from the mirror since ${clockText(sinceMs)} ` +
    `(${entriesText(count)} after position ${base.journal.position}) cannot be ` +
    `merged into ${of}: ${why}.`
  );
}

function bothWays({ name }: Refused): string {
  return (
    `To keep what the store has: vmform state mirror --discard ${name}, which puts the other ` +
    "into a file. To keep that instead: after it, vmform state push --force FILE. Then look at " +
    "the next plan closely."
  );
}

export function unmergeable(refused: Refused, count: number, fork: Fork): StoreError {
  return storeError("STO076", refusedText(refused, count, fork), bothWays(refused));
}

/** Of a command that only looks. */
export function unmergeableTold(refused: Refused, count: number, fork: Fork): Diagnostic {
  const detail = `${refusedText(refused, count, fork)} It is not taken into account here.`;
  return warning(nowhere, "STO076", { detail, fix: bothWays(refused) });
}

/** A run from the mirror is at work on this machine. */
export function atWorkHere(of: string, { who, host, pid, operation }: LockInfo): StoreError {
  return storeError(
    "STO077",
    `${who} on ${host} (process ${pid}) is running ${operation} of ${of}, and what it does is ` +
      "not in the store yet.",
    "Wait until it has ended; the next command merges what it did.",
  );
}

export function noSuchMirror(name: string): StoreError {
  return storeError(
    "STO071",
    `There is no mirror ${JSON.stringify(name)} in this folder.`,
    "See which there are: vmform state mirror",
  );
}

export function notPutAside(name: string, error: unknown): StoreError {
  return storeError(
    "STO072",
    `The mirror ${name} could not be put aside: ${describeSystemError(error)}.`,
    fixForWriting(error),
    error,
  );
}

/** Its store is this machine itself. */
export function neverMirrored(path: string): StoreError {
  return storeError(
    "STO071",
    `Recorded state is in ${path}, on this machine, and has no mirror.`,
    "Leave out --state-from.",
  );
}

/** The error of a store that does not answer, which names the way out. */
export function withMirrorNamed(error: StoreError, held: Held, nowMs: number): StoreError {
  const { diagnostic } = error;
  const way =
    `There is a ${heldText(held, nowMs)}: with --state-from mirror, plan, drift and what shows ` +
    "recorded state do without the store, and apply and destroy with --allow mirror.";
  const fix = diagnostic.fix === undefined ? way : `${diagnostic.fix} ${way}`;
  return new StoreError({ ...diagnostic, fix }, error);
}
