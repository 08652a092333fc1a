/** What `vmform drift --accept` is about to record and to write, for people and programs. */

import { plural } from "../../lib/text.ts";
import type { Value, ValueMap } from "../../model/value/value.ts";
import { publicMembers } from "../text/public-json.ts";
import type { RenderOptions } from "../text/render-options.ts";
import { line, renderLines, type StyledLine, span, textLine } from "../text/styled-line.ts";
import { inlineValue, keyText, sensitiveLiteral } from "../text/value/value-text.ts";

type ShownValue = {
  readonly address: string;
  readonly attribute: string;
  readonly recorded: Value;
  readonly observed: Value;
  readonly sensitive: boolean;
};

type ShownEdit = {
  readonly address: string;
  readonly attribute: string;
  readonly file: string;
  readonly line: number;
  readonly before: string;
  readonly after: string;
};

type ShownByHand = {
  readonly address: string;
  readonly attribute: string;
  readonly value?: Value;
  readonly why: string;
  readonly at?: string;
};

type ShownAlready = {
  readonly address: string;
  readonly attribute: string;
  readonly atMs: number;
  readonly runId: string;
};

export type ShownAcceptance = {
  readonly values: readonly ShownValue[];
  readonly already: readonly ShownAlready[];
  readonly configuration: {
    readonly edits: readonly ShownEdit[];
    readonly wanted: readonly { readonly address: string; readonly attribute: string }[];
    readonly byHand: readonly ShownByHand[];
  };
  readonly configured: "read" | "unreadable";
};

/** Ends without a newline. */
export function acceptanceText(shown: ShownAcceptance, options: RenderOptions): string {
  const { values, already, configuration, configured } = shown;
  const { edits, wanted, byHand } = configuration;
  const unread =
    "The configuration cannot be read, so nobody knows whether it wants something else: vmform " +
    "validate shows why.";
  const lines: readonly StyledLine[] = [
    ...section("What is observed is recorded:", values.map(valueLine)),
    ...section("Recorded already, by an earlier run:", already.map(alreadyLine)),
    ...section(
      "The configuration wants just that already:",
      wanted.map((one) => textLine(`  ${one.address}: ${keyText(one.attribute)}`, undefined, 4)),
    ),
    ...section("The configuration is written:", edits.flatMap(editLines)),
    ...(byHand.length === 0
      ? []
      : [
          textLine(""),
          textLine("The configuration wants otherwise, which stays to be changed:", "warning", 2),
        ]),
    ...byHand.map(byHandLine),
    ...(configured === "read" ? [] : [textLine(""), textLine(unread, "warning", 2)]),
    textLine(""),
    textLine(`Accept: ${plural(values.length, "attribute")}, ${editCount(edits)}.`, "strong", 2),
  ];
  // Each section has an empty line before it.
  return renderLines(lines.slice(1), options);
}

function section(title: string, lines: readonly StyledLine[]): readonly StyledLine[] {
  return lines.length === 0 ? [] : [textLine(""), textLine(title, "strong", 2), ...lines];
}

function alreadyLine({ address, attribute, atMs, runId }: ShownAlready): StyledLine {
  const when = new Date(atMs).toISOString();
  return textLine(`  ${address}: ${keyText(attribute)}, at ${when} (run ${runId})`, undefined, 4);
}

function editCount(edits: readonly ShownEdit[]): string {
  if (edits.length === 0) return "no file is written";
  return `${plural(edits.length, "line")} of the configuration`;
}

function valueLine({ address, attribute, recorded, observed, sensitive }: ShownValue): StyledLine {
  const values = sensitive
    ? `${sensitiveLiteral}, changed`
    : `recorded ${inlineValue(recorded)} -> ${inlineValue(observed)}`;
  return line(["  ", span("~", "change"), ` ${address}: ${keyText(attribute)}: ${values}`], 6);
}

function editLines(edit: ShownEdit): readonly StyledLine[] {
  return [
    textLine(
      `  ${edit.file}:${edit.line} (${edit.address}, ${keyText(edit.attribute)})`,
      undefined,
      4,
    ),
    line(["    ", span("-", "delete"), ` ${edit.before}`], 6),
    line(["    ", span("+", "add"), ` ${edit.after}`], 6),
  ];
}

function byHandLine({ address, attribute, value, why, at }: ShownByHand): StyledLine {
  const wanted = value === undefined ? "its new value" : inlineValue(value);
  const place = at === undefined ? "" : ` at ${at}`;
  return textLine(`  ${address}: ${keyText(attribute)} to ${wanted}${place}: ${why}`, undefined, 4);
}

/** Values of secrets are null. */
export function acceptanceJson(shown: ShownAcceptance, recorded: boolean): ValueMap {
  const { values, already, configuration, configured } = shown;
  return {
    accepted: recorded,
    already: already.map(({ address, attribute, atMs, runId }) => ({
      ...{ address, attribute, at: new Date(atMs).toISOString(), run: runId },
    })),
    values: values.map(({ address, attribute, recorded: before, observed, sensitive }) => ({
      ...{ address, attribute, sensitive },
      recorded: sensitive ? null : before,
      observed: sensitive ? null : observed,
    })),
    configuration: {
      status: configured,
      wanted: configuration.wanted.map((item) => publicMembers(item)),
      written: configuration.edits.map((edit) => publicMembers(edit)),
      by_hand: configuration.byHand.map((item) => publicMembers(item)),
    },
  };
}
