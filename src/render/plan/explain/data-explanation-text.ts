/** `vmform plan --explain data.TYPE.NAME`, for people. */

import { plural } from "../../../lib/text.ts";
import { resourceOf, toAddress } from "../../../model/value/address.ts";
import { addressesText } from "../../../model/value/address-text.ts";
import { isKnown, isList, type Value } from "../../../model/value/value.ts";
import { type StyledLine, textLine } from "../../text/styled-line.ts";
import { inlineValue, keyText, sensitiveLiteral } from "../../text/value/value-text.ts";
import type {
  DataExplanation,
  ExplainedAnswer,
  ExplainedArgument,
  ExplainedUse,
} from "./data-explanation.ts";
import { placeSection, placeText } from "./explained-place.ts";

/** Items of a list that are shown; `--json` has all of them. */
const shownMax = 10;

/** Sections, the first of which says what becomes of it. */
export function dataSections(explanation: DataExplanation): readonly (readonly StyledLine[])[] {
  const { address, provider, place, read, rules, query, answer } = explanation;
  const by = provider === "" ? "" : ` (${provider})`;
  const isFailed = explanation.problems.length > 0;
  const what = {
    plan: "was read for this plan",
    apply: "will be read during apply",
    never: isFailed ? "cannot be planned" : "is not read for this plan",
  }[read];
  return [
    [textLine(`${address} ${what}${by}`, "strong", 2)],
    place === undefined ? [] : placeSection(place),
    [
      textLine("Why:", "strong", 2),
      ...rules.map((rule) => textLine(`  - ${rule}`, undefined, 4)),
      ...explanation.waitsFor.map((one) =>
        textLine(`  - after ${one.address}: ${one.why}`, undefined, 4),
      ),
    ],
    query === undefined ? [] : querySection(query, explanation),
    answer === undefined ? [] : answerSection(answer),
    useSection(explanation),
  ];
}

function querySection(
  query: readonly ExplainedArgument[],
  { alike }: DataExplanation,
): StyledLine[] {
  const asked = query.map(({ name, place, value, template, sensitive }) => {
    const where = place === undefined ? "" : ` (${placeText(place)})`;
    const expression =
      !isKnown(value) && template !== undefined && !sensitive ? ` # ${template}` : "";
    const text = sensitive && value !== null ? sensitiveLiteral : inlineValue(value);
    return textLine(`  ${keyText(name)}: ${text}${expression}${where}`, undefined, 6);
  });
  return [
    textLine("Asks:", "strong", 2),
    ...(asked.length === 0 ? [textLine("  without any argument", undefined, 4)] : asked),
    ...(alike.length === 0
      ? []
      : [textLine(`  - the same as ${addressesText(alike)}: it is asked once`, undefined, 4)]),
  ];
}

function answerSection(answer: readonly ExplainedAnswer[]): StyledLine[] {
  if (answer.length === 0) {
    return [textLine("Answer:", "strong", 2), textLine("  nothing", undefined, 4)];
  }
  return [textLine("Answer:", "strong", 2), ...answer.flatMap(answerLines)];
}

function answerLines({ name, value, sensitive }: ExplainedAnswer): StyledLine[] {
  const label = `  ${keyText(name)}:`;
  if (sensitive && value !== null) return [textLine(`${label} ${sensitiveLiteral}`, undefined, 6)];
  if (!isLong(value)) return [textLine(`${label} ${inlineValue(value)}`, undefined, 6)];
  const more = value.length - shownMax;
  return [
    textLine(`${label} # ${plural(value.length, "item")}`, undefined, 6),
    ...value.slice(0, shownMax).map((item) => textLine(`    - ${inlineValue(item)}`, undefined, 8)),
    ...(more > 0 ? [textLine(`    # ${more} more: see --json`, "muted", 8)] : []),
  ];
}

/** Lists of maps, and those that would be a long line. */
function isLong(value: Value): value is readonly Value[] {
  if (!isList(value)) return false;
  return value.length > shownMax || value.some((item) => typeof item === "object" && item !== null);
}

function useSection({ uses, through, usesKnown }: DataExplanation): StyledLine[] {
  const lines = useLines(uses);
  if (through.length > 0) {
    lines.push(`  ${addressesText(through)}: through other data sources`);
  }
  if (!usesKnown) {
    lines.push("  # A saved plan knows only what waits for it, not what was made of it already.");
  } else if (lines.length === 0) lines.push("  nothing");
  return [textLine("Used by:", "strong", 2), ...lines.map((text) => textLine(text, undefined, 6))];
}

/** Instances of a resource that use it in the same way have one line. */
function useLines(uses: readonly ExplainedUse[]): string[] {
  const groups = new Map<string, { readonly said: string; readonly users: string[] }>();
  for (const use of uses) {
    const said = useText(use);
    const key = `${resourceName(use)} ${said}`;
    const group = groups.get(key) ?? { said, users: [] };
    group.users.push(userText(use));
    groups.set(key, group);
  }
  return [...groups.values()].map(({ said, users }) => {
    const named = users.slice(0, 3).join(", ");
    const more = users.length > 3 ? ` and ${users.length - 3} more` : "";
    return `  ${named}${more}: ${said}`;
  });
}

function resourceName({ user: { kind, name } }: ExplainedUse): string {
  const address = kind === "object" ? toAddress(name) : undefined;
  return `${kind} ${address === undefined ? name : resourceOf(address)}`;
}

function userText({ user: { kind, name } }: ExplainedUse): string {
  return kind === "object" ? name : `${kind} ${name}`;
}

function useText({ user, by, attribute = "", reads, place }: ExplainedUse): string {
  const where = place === undefined ? "" : ` (${placeText(place)})`;
  const value = reads ?? "it as a whole";
  switch (by) {
    case "attribute":
      return `${keyText(attribute)} is made of ${value}${where}`;
    case "value":
      return `shows ${value}${where}`;
    case "condition":
      return user.kind === "check"
        ? `judges ${value}${where}`
        : `a condition names ${value}${where}`;
    case "order":
      return "comes after it, by depends_on or since its instances are made of it";
  }
}
