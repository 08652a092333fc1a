/** A rehearsal as text: along time, what is full, what would fail, and what nobody can know. */

import { plural } from "../../lib/text.ts";
import type { Plan } from "../../model/plan/plan.ts";
import {
  foreseesFailure,
  type Pace,
  type Rehearsal,
  type RehearsedDatastore,
  type RehearsedFailure,
  type RehearsedOperation,
} from "../../model/plan/rehearsal.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import { requestMask } from "../plan/request-mask.ts";
import { durationText } from "../text/duration-text.ts";
import type { RenderOptions } from "../text/render-options.ts";
import {
  joinSections,
  renderLines,
  type StyledLine,
  type Tone,
  textLine,
} from "../text/styled-line.ts";
import { isSensitive } from "../text/value/sensitivity.ts";

/** Lines of one list; the rest is counted. */
const linesMax = 200;

export type RehearsalTextOptions = RenderOptions & { readonly types: SchemaRegistry };

/** Ends with the summary line, without a newline. Holds no secret of the plan. */
export function rehearsalText(
  plan: Plan,
  rehearsal: Rehearsal,
  options: RehearsalTextOptions,
): string {
  const { timeline, windows, datastores, failures, paces, unknown } = rehearsalSections(
    plan,
    rehearsal,
    options.types,
  );
  const isBad = foreseesFailure(rehearsal);
  const summary = textLine(rehearsalSummary(rehearsal), isBad ? "error" : "strong", 2);
  const sections = [timeline, windows, datastores, failures, paces, unknown, [summary]];
  return renderLines(joinSections(sections), options);
}

/** Each begins with its title, or is empty. */
type RehearsalSections = {
  readonly [part in
    | "timeline"
    | "windows"
    | "datastores"
    | "failures"
    | "paces"
    | "unknown"]: readonly StyledLine[];
};

export function rehearsalSections(
  plan: Plan,
  rehearsal: Rehearsal,
  types: SchemaRegistry,
): RehearsalSections {
  const words = wordsOf(plan, types);
  return {
    timeline: timelineSection(rehearsal, words),
    windows: windowSection(rehearsal),
    datastores: datastoreSection(rehearsal),
    failures: failureSection(rehearsal, words),
    paces: paceSection(rehearsal),
    unknown: unknownSection(rehearsal),
  };
}

type Words = (id: string) => string;

/** By operation: `relocate to ssd-02`, without secrets. */
export function summariesOf(plan: Plan, types: SchemaRegistry): ReadonlyMap<string, string> {
  return new Map(
    plan.operations.map(({ id, summary, subject, request }) => {
      const isSecret = (input: string): boolean => isSensitive(types, subject.type, input);
      return [id, requestMask(request.inputs, isSecret).text(summary)];
    }),
  );
}

/** `cloud_vm.web: relocate to ssd-02`. */
function wordsOf(plan: Plan, types: SchemaRegistry): Words {
  const summaries = summariesOf(plan, types);
  const addresses = new Map(plan.operations.map(({ id, subject }) => [id, subject.address]));
  return (id) => `${addresses.get(id) ?? id}: ${summaries.get(id) ?? ""}`;
}

function timelineSection({ operations }: Rehearsal, words: Words): StyledLine[] {
  const shown = operations.filter(({ outcome }) => outcome !== "unused");
  if (shown.length === 0) return [];
  const times = shown.map((one) => timeText(one));
  const width = Math.max(...times.map(({ length }) => length));
  return listSection("Timeline, from the beginning of the apply:", shown, (one, index) => {
    const time = (times[index] ?? "").padStart(width);
    return textLine(`  ${time}  ${words(one.id)}${endings[one.outcome]}`, tones[one.outcome], 6);
  });
}

const endings: { readonly [outcome in RehearsedOperation["outcome"]]: string } = {
  success: "",
  failed: " — fails",
  skipped: " — is not begun",
  unused: "",
  pending: " — waits for its time, by a policy",
};

const tones: { readonly [outcome in RehearsedOperation["outcome"]]: Tone | undefined } = {
  success: undefined,
  failed: "error",
  skipped: "muted",
  unused: "muted",
  pending: "muted",
};

function timeText({ startMs, endMs }: RehearsedOperation): string {
  if (startMs === undefined) return "–";
  return `${durationText(startMs)} – ${endMs === undefined ? "?" : durationText(endMs)}`;
}

function windowSection({ windows }: Rehearsal): StyledLine[] {
  return listSection("Power windows:", windows, ({ address, startMs, endMs }) => {
    const long = durationText(endMs - startMs);
    const from = `from ${durationText(startMs)} to ${durationText(endMs)}`;
    return textLine(`  ${address}: ${long}, ${from}`, undefined, 6);
  });
}

function datastoreSection({ datastores }: Rehearsal): StyledLine[] {
  const changed = datastores.filter(({ beforeMb, peakMb, afterMb }) => {
    return peakMb !== beforeMb || afterMb !== beforeMb;
  });
  return listSection("Peak use of datastores:", changed, (one) =>
    textLine(`  ${one.provider} ${one.name}: ${useText(one)}`, undefined, 6),
  );
}

function useText(datastore: RehearsedDatastore): string {
  const { capacityMb, beforeMb, peakMb, peakAtMs, afterMb } = datastore;
  const when = `after ${durationText(peakAtMs)}`;
  if (capacityMb === undefined) {
    const more = sizeText(peakMb - beforeMb);
    return `${more} more than at the beginning, ${when}; how large it is is not told`;
  }
  const share = (mb: number): string => `${Math.round((100 * mb) / capacityMb)} %`;
  const peak = `${share(peakMb)} (${sizeText(peakMb)} of ${sizeText(capacityMb)}) ${when}`;
  return `${peak}; ${share(beforeMb)} before, ${share(afterMb)} afterwards`;
}

/** Gigabytes of 1024 MB, with one decimal where there are few. */
function sizeText(mb: number): string {
  const gb = mb / 1024;
  return `${Math.abs(gb) < 10 ? Math.round(gb * 10) / 10 : Math.round(gb)} GB`;
}

function failureSection({ failures }: Rehearsal, words: Words): StyledLine[] {
  return [
    ...(failures.length === 0 ? [] : [textLine("What would fail:", "error", 2)]),
    ...limited(failures, (failure) => failureLines(failure, words)),
  ];
}

function failureLines(
  { id, address, code, reason, holdsBack }: RehearsedFailure,
  words: Words,
): readonly StyledLine[] {
  const what = id === undefined ? (address ?? "the plan") : words(id);
  const by = code === undefined ? "" : ` ${code}`;
  const [first, ...more] = holdsBack;
  const others = more.length === 0 ? "" : `, and ${plural(more.length, "more operation")}`;
  return [
    textLine(`  ${what}${by}: ${reason}`, "error", 6),
    ...(first === undefined || id === undefined
      ? []
      : [textLine(`    then not begun: ${words(first)}${others}`, undefined, 8)]),
  ];
}

function paceSection({ paces }: Rehearsal): StyledLine[] {
  return listSection("How long work was taken to be:", paces, (pace) =>
    textLine(`  ${pace.kind}: ${paceText(pace)}`, undefined, 6),
  );
}

function paceText({ ms, samples }: Pace): string {
  if (ms === undefined) return "not known, as if it took no time";
  const long = durationText(ms);
  if (samples === 0) return `${long}, by the simulator: no earlier run tells it`;
  return `${long}, by ${plural(samples, "earlier operation")}`;
}

function unknownSection({ unknown }: Rehearsal): StyledLine[] {
  return listSection("What a rehearsal cannot know, or took for granted:", unknown, (sentence) =>
    textLine(`  - ${sentence}`, undefined, 4),
  );
}

/** The last line. */
export function rehearsalSummary(rehearsal: Rehearsal): string {
  const { operations, failures, paces, durationMs } = rehearsal;
  const count = (outcome: RehearsedOperation["outcome"]): number =>
    operations.filter((one) => one.outcome === outcome).length;
  const told = [
    plural(count("success"), "operation") + " done",
    ...(failures.length === 0 ? [] : [plural(failures.length, "failure")]),
    ...(count("skipped") === 0 ? [] : [`${count("skipped")} not begun`]),
    ...(count("pending") === 0 ? [] : [`${count("pending")} kept for another time`]),
  ].join(", ");
  const isKnown = paces.every(({ samples }) => samples > 0);
  const long = `${durationText(durationMs)}${isKnown ? "" : ", in the time of simulators"}`;
  return `Rehearsal: ${told}; it takes ${long}.`;
}

function listSection<T>(
  title: string,
  items: readonly T[],
  lineOf: (item: T, index: number) => StyledLine,
): StyledLine[] {
  if (items.length === 0) return [];
  return [textLine(title, undefined, 2), ...limited(items, (item, index) => [lineOf(item, index)])];
}

function limited<T>(
  items: readonly T[],
  linesOf: (item: T, index: number) => readonly StyledLine[],
): readonly StyledLine[] {
  const more = items.length - linesMax;
  return [
    ...items.slice(0, linesMax).flatMap(linesOf),
    ...(more > 0 ? [textLine(`  and ${more} more, in --json`)] : []),
  ];
}
