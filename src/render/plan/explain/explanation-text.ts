/** `vmform plan --explain ADDRESS`, for people. */

import { plural } from "../../../lib/text.ts";
import type { PlannedValue } from "../../../model/value/value.ts";
import { isUnknown } from "../../../model/value/value.ts";
import { diagnosticsText } from "../../text/diagnostic-text.ts";
import { durationText } from "../../text/duration-text.ts";
import type { RenderOptions } from "../../text/render-options.ts";
import {
  joinSections,
  line,
  renderLines,
  type StyledLine,
  span,
  textLine,
} from "../../text/styled-line.ts";
import { inlineValue, keyText, sensitiveLiteral } from "../../text/value/value-text.ts";
import { actionWords, sentenceOf } from "../change/change-text.ts";
import { dataSections } from "./data-explanation-text.ts";
import { placeSection, placeText } from "./explained-place.ts";
import {
  type Explained,
  type ExplainedAttribute,
  type ExplainedConsent,
  type ExplainedOperation,
  isSettled,
  type PlanExplanation,
} from "./explanation.ts";

/** Without a newline at the end. Holds no secret and no control character. */
export function explanationText(explanation: Explained, options: RenderOptions): string {
  const { problems } = explanation;
  const sections = "read" in explanation ? dataSections(explanation) : objectSections(explanation);
  const parts = [renderLines(joinSections(sections), options), diagnosticsText(problems, options)];
  return parts.filter((part) => part !== "").join("\n\n");
}

function objectSections(explanation: PlanExplanation): readonly (readonly StyledLine[])[] {
  const { place, rules, attributes, consent } = explanation;
  return [
    headSection(explanation),
    place === undefined ? [] : placeSection(place),
    [textLine("Why:", "strong", 2), ...rules.map((rule) => textLine(`  - ${rule}`, undefined, 4))],
    attributeSection(attributes),
    consentSection(consent),
    operationSection(explanation),
  ];
}

function headSection({ address, changes, problems }: PlanExplanation): StyledLine[] {
  if (changes.length === 0) {
    const what = problems.length > 0 ? "cannot be planned" : "is not part of this plan";
    return [textLine(`${address} ${what}`, "strong", 2)];
  }
  return changes.map((change) => {
    const words = actionWords[change.action];
    const object = change.objectKey === "current" ? "" : ` (${change.objectKey})`;
    const text = `${address}${object} ${sentenceOf(change, words)}`;
    return line(
      [span(text, "strong"), ` (${change.provider}, id ${inlineValue(change.identity)})`],
      2,
    );
  });
}

/** What is in motion with all its values; the rest on a line each. */
function attributeSection(attributes: readonly ExplainedAttribute[]): StyledLine[] {
  if (attributes.length === 0) return [];
  const moving = attributes.filter((one) => !isSettled(one));
  const settled = attributes.filter(isSettled);
  const lines = [textLine("Attributes:", "strong", 2), ...moving.flatMap(movingLines)];
  if (settled.length === 0) return lines;
  const columns = Math.min(24, Math.max(...settled.map(({ name }) => keyText(name).length + 1)));
  const told = settled.map((one) => {
    const label = `${keyText(one.name)}:`.padEnd(columns);
    const remark = one.remarks.length === 0 ? "" : ` (${one.remarks.join("; ")})`;
    return textLine(`    ${label} ${valueText(one, anyOf(one))}${remark}`, undefined, 8);
  });
  return [...lines, textLine("  The same wherever it is known:", undefined, 4), ...told];
}

function movingLines(attribute: ExplainedAttribute): StyledLine[] {
  const { name, place, values, template, sensitive, rules, remarks } = attribute;
  const where = place === undefined ? "" : ` (${placeText(place)})`;
  const expression = template === undefined || sensitive ? "" : ` # ${template}`;
  const row = (label: string, value: PlannedValue | undefined): StyledLine[] => {
    if (value === undefined) return [];
    const behind = isUnknown(value) ? expression : "";
    return [textLine(`    ${label} ${valueText(attribute, value)}${behind}`, undefined, 8)];
  };
  return [
    textLine(`  ${keyText(name)}${where}`, undefined, 4),
    ...row("configured", values.configured),
    ...row("recorded  ", values.recorded),
    ...row("observed  ", values.observed),
    ...row("planned   ", values.planned),
    ...[...rules, ...remarks].map((rule) => textLine(`    - ${rule}`, undefined, 6)),
  ];
}

function valueText({ sensitive }: ExplainedAttribute, value: PlannedValue): string {
  return sensitive && value !== null ? sensitiveLiteral : inlineValue(value);
}

function anyOf({ values }: ExplainedAttribute): PlannedValue {
  const { planned, recorded, observed, configured } = values;
  return planned ?? recorded ?? observed ?? configured ?? null;
}

function consentSection(consent: readonly ExplainedConsent[]): StyledLine[] {
  if (consent.length === 0) return [];
  return [
    textLine("Consent:", "strong", 2),
    ...consent.map(({ disruption, given }) =>
      given
        ? textLine(`  ${disruption}: given`, undefined, 4)
        : textLine(
            `  ${disruption}: needed. Answer yes to apply, or add --allow ${disruption}`,
            "warning",
            4,
          ),
    ),
  ];
}

function operationSection({ address, operations, total }: PlanExplanation): StyledLine[] {
  if (operations.length === 0) return [];
  const all = plural(total, "operation");
  return [
    textLine(`Operations, in an order that is permitted (of ${all} of the plan):`, "strong", 2),
    ...operations.flatMap((one) => operationLines(one, address)),
  ];
}

function operationLines(
  { operation, summary, position, reasons }: ExplainedOperation,
  address: string,
): StyledLine[] {
  const { id, subject, proof, disrupts } = operation;
  const other = subject.address === address ? "" : `${subject.address}: `;
  const limit = `at most ${durationText(proof.limitMs)}`;
  const hurts = disrupts.length === 0 ? "" : `, needs consent to ${disrupts.join(", ")}`;
  return [
    line(
      [`  ${position}. `, span(`${other}${summary}`, "strong"), ` (${id}; ${limit}${hurts})`],
      6,
    ),
    ...reasons.map((reason) => textLine(`     - ${reason}`, undefined, 7)),
  ];
}
