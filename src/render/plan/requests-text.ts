/** The wire requests of a plan in a permitted order: what is sent, after what, and seen then. */

import type { AttributeExpectation } from "../../model/operation/expectation.ts";
import type { Operation, OperationEdge, RequestPreview } from "../../model/operation/operation.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { isList, isMap, isUnknown, type PlannedValue } from "../../model/value/value.ts";
import { durationText } from "../text/duration-text.ts";
import { quoteText } from "../text/safe-text.ts";
import { joinSections, renderLines, type StyledLine, textLine } from "../text/styled-line.ts";
import { isSensitive } from "../text/value/sensitivity.ts";
import { inlineValue, sensitiveLiteral } from "../text/value/value-text.ts";
import { orderOperations } from "./operation-order.ts";
import type { PlanTextOptions } from "./plan-text.ts";
import { type RequestMask, requestMask } from "./request-mask.ts";

/** One numbered section per operation; an operation without a request is a wait. */
export function requestsText(plan: Plan, options: PlanTextOptions): string {
  const ordered = orderOperations(plan);
  if (ordered.length === 0) return "No requests.";
  const urls = new Map(plan.endpoints.map(({ provider, url }) => [provider, url]));
  const sections = ordered.map((operation, index) => {
    const { provider } = operation.subject;
    return operationLines({ operation, url: urls.get(provider), number: index + 1 }, options);
  });
  for (const join of plan.joins) {
    sections.push([
      textLine(`${join.id}: no work, only what waits for it`, "strong"),
      textLine(`   after: ${edgesText(join.after)}`, undefined, 6),
    ]);
  }
  return renderLines(joinSections(sections), options);
}

type Numbered = {
  readonly operation: Operation;
  /** Of the endpoint that it is sent to; undefined where nothing is spoken to. */
  readonly url: string | undefined;
  readonly number: number;
};

function operationLines(
  { operation, url, number }: Numbered,
  options: PlanTextOptions,
): StyledLine[] {
  const isSecret = (name: string): boolean =>
    isSensitive(options.types, operation.subject.type, name);
  const mask = requestMask(operation.request.inputs, isSecret);
  const lines = [textLine(`${number}. ${operation.id}: ${mask.text(operation.summary)}`, "strong")];
  const add = (label: string, text: string): void => {
    if (text !== "") lines.push(textLine(`   ${label}: ${text}`, undefined, 6));
  };
  if (operation.request.preview === undefined) add("request", "none, this is a wait");
  else lines.push(...requestLines(operation, operation.request.preview, mask, isSecret));
  add("endpoint", url === undefined ? "" : `${operation.subject.provider} at ${url}`);
  add("after", edgesText(operation.order.after));
  add("instead of", operation.order.fallbackFor ?? "");
  add("window", windowText(operation));
  const expectations = operation.proof.expect.map((expectation) =>
    expectationText(expectation, mask, isSecret),
  );
  if (operation.proof.unobservable) expectations.push("nothing: no read can tell");
  add("expects", expectations.join(", "));
  add("disrupts", operation.disrupts.join(", "));
  const repeat = operation.request.repeat === "safe" ? "may be sent again" : "is not sent again";
  add("time limit", `${durationText(operation.proof.limitMs)}, ${repeat}`);
  return lines;
}

function edgesText(edges: readonly OperationEdge[]): string {
  return edges.map(({ id, on }) => `${id} (${on})`).join(", ");
}

function windowText({ order: { window } }: Operation): string {
  return window === undefined ? "" : `${window.id} (${window.role})`;
}

function requestLines(
  operation: Operation,
  request: RequestPreview,
  mask: RequestMask,
  isSecret: (name: string) => boolean,
): StyledLine[] {
  const lines = [textLine(`   ${request.method} ${mask.text(request.path)}`, undefined, 6)];
  if (request.contentType !== undefined) {
    lines.push(textLine(`   content-type: ${request.contentType}`, undefined, 6));
  }
  if (request.body === undefined) return lines;
  const deferred = Object.entries(operation.request.deferred).map(([attribute, { template }]) => ({
    attribute,
    text: isSecret(attribute) ? sensitiveLiteral : template,
  }));
  const used = new Set<string>();
  const expression: ExpressionOf = (member) => {
    const match = deferred.find(({ attribute }) => plainName(attribute) === plainName(member));
    if (match === undefined) return undefined;
    used.add(match.attribute);
    return match.text;
  };
  for (const text of bodyText(mask.value(request.body), expression)) {
    lines.push(textLine(`   ${text}`, undefined, 6));
  }
  // Where no member of the body carries the attribute's name, its expression stands below.
  for (const { attribute, text } of deferred) {
    if (!used.has(attribute)) lines.push(textLine(`   with ${attribute} = ${text}`, undefined, 6));
  }
  return lines;
}

/** Expression of the unknown value of a body member, such as `hostPath` for `host_path`. */
type ExpressionOf = (member: string) => string | undefined;

function bodyText(body: PlannedValue, expression: ExpressionOf): string[] {
  if (typeof body === "string") return body.split("\n");
  return jsonLines(body, "", expression);
}

/** JSON as it will be sent, but for unknown values, which stand as expressions without quotes. */
function jsonLines(value: PlannedValue, member: string, expression: ExpressionOf): string[] {
  if (isUnknown(value)) return [expression(member) ?? inlineValue(value)];
  if (isList(value)) {
    const items = value.map((item) => jsonLines(item, member, expression));
    return enclose("[", items, "]");
  }
  if (isMap(value)) {
    const items = Object.entries(value).map(([name, item]) => {
      const [first, ...rest] = jsonLines(item, name, expression);
      return [`${quoteText(name)}: ${first ?? ""}`, ...rest];
    });
    return enclose("{", items, "}");
  }
  return [inlineValue(value)];
}

function enclose(open: string, items: readonly (readonly string[])[], close: string): string[] {
  const lines = items.flatMap((item, index) => {
    const end = index === items.length - 1 ? "" : ",";
    return item.map((text, at) => `  ${text}${at === item.length - 1 ? end : ""}`);
  });
  return lines.length === 0 ? [`${open}${close}`] : [open, ...lines, close];
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}

function expectationText(
  expectation: AttributeExpectation,
  mask: RequestMask,
  isSecret: (name: string) => boolean,
): string {
  if ("existence" in expectation) return expectation.existence;
  const { attribute } = expectation;
  if ("present" in expectation) return `${attribute} is set`;
  if (isSecret(attribute)) return `${attribute} = ${sensitiveLiteral}`;
  if ("atLeast" in expectation) {
    return `${attribute} is at least ${inlineValue(mask.value(expectation.atLeast))}`;
  }
  return `${attribute} = ${inlineValue(mask.value(expectation.equals))}`;
}
