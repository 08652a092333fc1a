/** What comes of a condition and its message, wherever the configuration has them. */

import { usedValues } from "../../expressions/evaluate/used-values.ts";
import type { ConditionMessage, ConditionResult } from "../../model/operation/condition.ts";
import { isKnown } from "../../model/value/value.ts";
import type { Condition } from "../blocks/condition.ts";
import { type ConfigValue, templatesOf } from "../read/value.ts";
import { createReport, type Report } from "../report.ts";
import { deferredOf, type EvaluationOptions, evaluate } from "./evaluation.ts";

/** Where a condition is judged; problems of the scope itself go to the report. */
export type Judging = Pick<EvaluationOptions, "skipped"> & {
  readonly scope: (report: Report) => EvaluationOptions["scope"];
};

/** What cannot be evaluated is told as the result. */
export function judge(
  { condition, message }: Condition,
  { scope, skipped }: Judging,
): ConditionResult {
  const report = createReport();
  const options = { scope: scope(report), skipped, report };
  const evaluated = evaluate(condition, "condition", options);
  const [fault] = report.diagnostics();
  if (fault !== undefined) return { status: "faulty", why: fault.detail };
  if (evaluated.value === true) return { status: "passed" };
  if (isKnown(evaluated.value)) {
    const values = usedValues(
      templatesOf(condition).map(({ template }) => template),
      options.scope,
    );
    return { status: "failed", message: sayableMessage(message, options), values };
  }
  const deferred = deferredOf(condition, evaluated, "boolean");
  // What waits is kept in a saved plan, with the values that are known.
  if (deferred?.sensitive !== undefined && deferred.sensitive.length > 0) {
    const why = "it needs a sensitive value together with one that is known only after apply.";
    return { status: "faulty", why };
  }
  return {
    status: "unknown",
    ...(deferred === undefined ? {} : { deferred }),
    ...lateMessage(message, options),
  };
}

const hiddenText = "its message holds a sensitive value, which is not shown.";

/** The text of a message, or why there is none to show. */
export function sayableMessage(message: ConfigValue, options: EvaluationOptions): string {
  const { value, sensitive, problems } = evaluate(message, "message", options);
  if (sensitive.length > 0) return hiddenText;
  if (problems) return `its message cannot be told: ${options.report.diagnostics()[0]?.detail}`;
  return typeof value === "string" ? value : writtenText(message);
}

function lateMessage(message: ConfigValue, options: EvaluationOptions): ConditionMessage {
  const evaluated = evaluate(message, "message", options);
  if (isKnown(evaluated.value) || evaluated.problems || evaluated.sensitive.length > 0) {
    return { message: sayableMessage(message, { ...options, report: createReport() }) };
  }
  const deferredMessage = deferredOf(message, evaluated, "string");
  return {
    message: writtenText(message),
    ...(deferredMessage === undefined ? {} : { deferredMessage }),
  };
}

function writtenText(message: ConfigValue): string {
  if (message.kind === "template") return message.template.text;
  return message.kind === "constant" && typeof message.value === "string" ? message.value : "";
}
