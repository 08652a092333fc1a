/** An action for people: what is to be done to which object, how far it is, and how it ended. */

import type { Consent } from "../../model/operation/disruption.ts";
import {
  type ActionEnding,
  type ActionOrder,
  type ActionStep,
  cancelTaskAction,
  consentsOf,
  missingConsents,
} from "../../model/provider/action.ts";
import { durationText } from "../text/duration-text.ts";
import type { RenderOptions } from "../text/render-options.ts";
import { escapeControls } from "../text/safe-text.ts";
import {
  joinSections,
  line,
  renderLines,
  type StyledLine,
  span,
  textLine,
} from "../text/styled-line.ts";

/** Columns of the longest label and the blanks behind it. */
const labelColumns = 13;

/**
 * ```
 * vmform will do this once, now:
 *
 *   # cloud_vm.web: reset
 *   reset hard, without the guest
 *     object:      web (/api/vApp/vm-1)
 * ```
 *
 * `allowed`: what was consented to already.
 */
export function actionOrderText(
  order: ActionOrder,
  allowed: readonly Consent[],
  options: RenderOptions,
): string {
  const { address, action, name, identity, provider, url, request, remarks = [] } = order;
  const { disrupts } = action;
  const rows: readonly (readonly [string, string])[] = [
    ...(order.workspace === undefined ? [] : [["workspace", order.workspace] as const]),
    ["object", name === undefined ? identity : `${name} (${identity})`],
    ["provider", url === undefined ? provider : `${provider} (${url})`],
    ...(request === undefined ? [] : [["request", `${request.method} ${request.path}`] as const]),
    ["disruptions", disrupts.length === 0 ? "none" : disrupts.join(", ")],
  ];
  const sections: readonly (readonly StyledLine[])[] = [
    [textLine("vmform will do this once, now:")],
    [
      line([span(`  # ${address}: ${action.name}`, "strong")]),
      ...(action.description === action.name ? [] : [textLine(`  ${action.description}`)]),
      ...rows.map(([label, text]) => {
        const padded = `${label}:`.padEnd(labelColumns);
        return line(["    ", span(padded, "muted"), text], 6);
      }),
      ...remarks.map((remark) => textLine(`    ${remark}`)),
    ],
    consentLines(order, allowed),
  ];
  return renderLines(joinSections(sections), options);
}

/** What was consented to, then what was not, in the words of a plan. */
function consentLines(order: ActionOrder, allowed: readonly Consent[]): readonly StyledLine[] {
  const missing = missingConsents(order, allowed);
  const given = consentsOf(order).filter((consent) => !missing.includes(consent));
  return [
    ...(given.length === 0 ? [] : [textLine(`Consent given: ${given.join(", ")}.`)]),
    ...(missing.length === 0
      ? []
      : [textLine(`This action needs consent: ${missing.join(", ")}.`, "warning")]),
  ];
}

/** One line without newline, control characters or escape codes. */
export function actionStepText({ address, action }: ActionOrder, step: ActionStep): string {
  switch (step.kind) {
    case "started":
      return escapeControls(`${address}: ${action.name}...`);
    case "stopping":
      return (
        "Stopping: waiting for the reply. Interrupt again to stop at once; then nobody knows " +
        "whether it was done."
      );
    case "progress":
      return escapeControls(`${address}: Remote task is ${taskWords(step)}`);
  }
}

/**
 * How it ended well, or was let go of, and what comes of that; an empty text for an ending that is
 * an error. `cancelCommand` ends the task, where there is such a command.
 */
export function actionEndingText(
  order: ActionOrder,
  { ending, elapsedMs }: { readonly ending: ActionEnding; readonly elapsedMs: number },
  cancelCommand: string | undefined,
  options: RenderOptions,
): string {
  const what = `${order.action.name} of ${order.address}`;
  const after = durationText(elapsedMs);
  if (ending.status === "success") {
    const by = ending.message === undefined ? "" : `: ${ending.message}`;
    return paragraphs([`Action complete after ${after}: ${what}${by}.`, laterText(order)], options);
  }
  if (ending.status === "needless") {
    return paragraphs([`Nothing to do: ${ending.message}.`], options);
  }
  if (ending.status !== "left") return "";
  const asked = order.action.name === cancelTaskAction ? " has been asked to cancel, and" : "";
  const task = `Its remote task (${taskWords(ending)})${asked} goes on at the server.`;
  const cancel = cancelCommand === undefined ? [] : [`To end it: ${cancelCommand}`];
  return paragraphs([`Stopped following ${what} after ${after}.`, task, ...cancel], options);
}

function paragraphs(texts: readonly string[], options: RenderOptions): string {
  const lines = texts.map((text, index) => textLine(text, index === 0 ? "strong" : undefined, 2));
  return renderLines(lines, options);
}

/** What the next plan will show of it; an action is recorded nowhere. */
function laterText({ action, wantedPower }: ActionOrder): string {
  if (action.name === cancelTaskAction) {
    return "What the task had done by then, the next plan shows.";
  }
  const wanted =
    action.disrupts.includes("power-off") && wantedPower !== undefined
      ? ` Power was last applied as ${wantedPower}; an apply brings that back.`
      : "";
  return `It is not recorded: what it has changed, the next plan shows as drift.${wanted}`;
}

/** `running, 40 %` */
function taskWords(task: { readonly word: string; readonly progress?: number }): string {
  return task.progress === undefined ? task.word : `${task.word}, ${task.progress} %`;
}
