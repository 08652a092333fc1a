/** One change as a plan shows it: what will happen, why, each attribute, and the power steps. */

import type { AdoptedObject } from "../../../model/plan/adopted.ts";
import type {
  AttributeChange,
  Change,
  ChangeAction,
  ChangeReason,
} from "../../../model/plan/change.ts";
import type { Address } from "../../../model/value/address.ts";
import type { SchemaRegistry } from "../../../model/value/resource-schema.ts";
import { equalValues, isKnown } from "../../../model/value/value.ts";
import { quoteText } from "../../text/safe-text.ts";
import {
  line,
  type Span,
  type StyledLine,
  span,
  type Tone,
  textLine,
} from "../../text/styled-line.ts";
import { type Edit, editLines, editOf, hidden } from "../../text/value/attribute-text.ts";
import { isSensitive } from "../../text/value/sensitivity.ts";
import { keyText } from "../../text/value/value-text.ts";

export type ChangeContext = {
  readonly types: SchemaRegistry;
  /** Expressions of attributes that are known after apply, as written. */
  readonly templates: ReadonlyMap<string, string>;
  readonly powerSteps: string | undefined;
  /** The existing object that joins recorded state; undefined when none does. */
  readonly adopted: AdoptedObject | undefined;
};

type ActionWords = {
  /** Three columns wide, as in front of the address. */
  readonly symbol: string;
  readonly tone: Tone;
  readonly legend: string;
  readonly sentence: string;
};

export const actionWords: { readonly [action in ChangeAction]: ActionWords } = {
  create: { symbol: "  +", tone: "add", legend: "create", sentence: "will be created" },
  update: {
    symbol: "  ~",
    tone: "change",
    legend: "update in-place",
    sentence: "will be updated in-place",
  },
  replace: {
    symbol: "-/+",
    tone: "delete",
    legend: "destroy and then create replacement",
    sentence: "must be replaced",
  },
  delete: { symbol: "  -", tone: "delete", legend: "destroy", sentence: "will be destroyed" },
  forget: {
    symbol: "  .",
    tone: "muted",
    legend: "forget",
    sentence: "will be removed from recorded state, but not destroyed",
  },
  "no-op": { symbol: "   ", tone: "muted", legend: "no change", sentence: "does not change" },
};

export const attributeIndent = 6;
/** Names longer than this do not push the values of the others to the right. */
const nameColumnsMax = 24;

export function changeLines(change: Change, context: ChangeContext): StyledLine[] {
  const words = actionWords[change.action];
  const object = change.objectKey === "current" ? "" : ` (${change.objectKey})`;
  const { adopted } = context;
  const only = change.action === "no-op" && adopted !== undefined;
  const taken = adopted?.by === "adopt" ? "adopted" : "imported";
  const sentence = only ? `will be ${taken}` : sentenceOf(change, words);
  const lines = [textLine(`  # ${change.address}${object} ${sentence}`, "strong")];
  if (adopted !== undefined) {
    const id = quoteText(adopted.object.identity);
    lines.push(textLine(only ? `  # (id ${id})` : `  # (${taken} from ${id})`, "strong"));
  }
  const reason = reasonText(change.reason);
  if (reason !== undefined) lines.push(textLine(`  # (because ${reason})`, "strong"));
  lines.push(line([span(words.symbol, words.tone), ` ${change.address}:`]));
  const { edits, unchanged } = shownEdits(change, context);
  lines.push(...attributeLines(edits));
  lines.push(...hidden(unchanged, "attribute", attributeIndent));
  return [...lines, ...powerLine(context.powerSteps)];
}

export type ShownEdits = { readonly edits: readonly Edit[]; readonly unchanged: number };

/** The attributes of a change that are told, and how many are not, since they stay. */
export function shownEdits(change: Change, context: ChangeContext): ShownEdits {
  const all = editsOf(change, context);
  const edits = oncePower(all, context.types[change.type]?.power);
  return { edits, unchanged: unchangedCount(change, all) };
}

export function attributeLines(edits: readonly Edit[]): StyledLine[] {
  const names = edits.map((edit) => keyText(edit.name ?? "").length + 1);
  const nameColumns = Math.max(0, ...names.filter((columns) => columns <= nameColumnsMax));
  return edits.flatMap((edit) => editLines(edit, { indent: attributeIndent, nameColumns }));
}

export function sentenceOf({ reason }: Change, { sentence }: ActionWords): string {
  return reason.kind === "force-new" && reason.undecided === true ? "may be replaced" : sentence;
}

/** A VM that does not change itself, and is powered off and on for its content. */
export function powerOnlyLines(address: Address, powerSteps: string): StyledLine[] {
  const title = `  # ${address} does not change, but its power does`;
  return [textLine(title, "strong"), ...powerLine(powerSteps)];
}

export function powerLine(powerSteps: string | undefined): StyledLine[] {
  if (powerSteps === undefined) return [];
  const label: Span = span("# steps: ", "muted");
  return [line([" ".repeat(attributeIndent + 2), label, powerSteps], attributeIndent + 4)];
}

/** Why, in words; undefined where the action says it all. */
export function reasonText(reason: ChangeReason): string | undefined {
  switch (reason.kind) {
    case "not-recorded":
    case "attributes":
    case "destroy":
    case "no-change":
      return undefined;
    case "requested":
      return "asked for by --replace";
    case "removed":
      return "a removed entry says so";
    case "readopted":
      return `it takes the place of ${reason.from}, which is forgotten: ${reason.why}`;
    case "set-again":
      return `${reason.attribute} is sent again for ${reason.for}, since no read tells it`;
    case "deposed":
      return "left over from a replace that created its successor first";
    case "missing":
      return reason.another === true
        ? `the recorded one is not there: ${reason.proof}`
        : `it was deleted outside of vmform: ${reason.proof}`;
    case "tentative":
      return "an earlier create was begun and never seen to take effect";
    case "restore":
      return `an earlier run left its power to be restored: ${reason.power}`;
    case "force-new": {
      const names = reason.attributes.join(", ");
      if (reason.undecided !== true) return `${names} cannot be changed in place`;
      return `${names} cannot be changed in place, unless it turns out as it is`;
    }
    case "container-replaced":
      return `its container ${reason.container} is replaced`;
    case "triggered":
      return `replace_triggered_by names ${reason.by}, which is not as it was`;
    case "container-deleted":
      return `its container ${reason.container} is deleted, which ends it without a request`;
    case "not-in-configuration":
      return "it is not in the configuration";
  }
}

function editsOf(change: Change, context: ChangeContext): Edit[] {
  const changed = new Map(change.attributes.map((attribute) => [attribute.attribute, attribute]));
  switch (change.action) {
    case "create":
    case "delete": {
      const whole = (change.action === "create" ? change.after : change.before) ?? {};
      const names = new Set([...Object.keys(whole), ...changed.keys()]);
      return [...names].flatMap((name) => {
        const value = whole[name] ?? null;
        const known = changed.get(name);
        const given = change.action === "create" ? known?.after : known?.before;
        const shown = value ?? given ?? null;
        // What nobody asked for, and the server gives by itself, is no news.
        if (shown === null || (known === undefined && !isKnown(shown))) return [];
        const edit =
          change.action === "create" ? editOf(null, shown, name) : editOf(shown, null, name);
        return [marked(edit, change, known, context)];
      });
    }
    case "update":
    case "replace":
      return change.attributes.map((attribute) => {
        const edit = editOf(attribute.before, attribute.after, attribute.attribute);
        return marked(edit, change, attribute, context);
      });
    case "no-op":
      return context.adopted === undefined ? [] : importedEdits(change, context);
    case "forget":
      return [];
  }
}

/**
 * Wanted and observed power that go the same way are one change: the wanted one is shown, as it is
 * configured. Where none was wanted before, only the observed one tells where the power comes from.
 */
function oncePower(
  edits: readonly Edit[],
  power: { readonly wanted: string; readonly observed: string } | undefined,
): readonly Edit[] {
  const wanted = edits.find(({ name }) => name === power?.wanted);
  const observed = edits.find(({ name }) => name === power?.observed);
  if (wanted === undefined || observed === undefined) return edits;
  if (!equalValues(wanted.after, observed.after)) return edits;
  if (equalValues(wanted.before, observed.before)) return edits.filter((edit) => edit !== observed);
  return wanted.before === null ? edits.filter((edit) => edit !== wanted) : edits;
}

/** What an import finds, nothing of which changes. */
function importedEdits(change: Change, context: ChangeContext): Edit[] {
  return Object.entries(change.before ?? {}).flatMap(([name, value]) => {
    if (value === null) return [];
    const edit: Edit = { symbol: " ", name, before: value, after: value };
    return [marked(edit, change, undefined, context)];
  });
}

function marked(
  edit: Edit,
  change: Change,
  attribute: AttributeChange | undefined,
  context: ChangeContext,
): Edit {
  const name = edit.name ?? "";
  const template = context.templates.get(name);
  return {
    ...edit,
    sensitive: attribute?.sensitive === true || isSensitive(context.types, change.type, name),
    forcesReplace: attribute?.forcesReplace === true,
    ...(template === undefined ? {} : { template }),
  };
}

function unchangedCount(change: Change, edits: readonly Edit[]): number {
  if (change.action !== "update" && change.action !== "replace") return 0;
  const shown = new Set(edits.map((edit) => edit.name));
  const prior = Object.entries(change.before ?? {});
  return prior.filter(([name, value]) => value !== null && !shown.has(name)).length;
}
