/**
 * An action as messages of the JSON event stream: `planned_action`, `action_start`,
 * `action_progress`, and at last `action_complete`, `action_errored` or, when the user let go of
 * its task, `action_left`. All are types of our own.
 */

import type { ActionEnding, ActionOrder, ActionStep } from "../../model/provider/action.ts";
import type { ValueMap } from "../../model/value/value.ts";
import { actionStepText } from "./action-text.ts";
import { type StreamMessage, streamMessage, streamResource } from "./event-json.ts";

export function plannedActionMessage(order: ActionOrder, atMs: number): ValueMap {
  const { address, action, identity, name, provider, url, request, remarks } = order;
  return streamMessage({
    level: "info",
    message: `${address}: Action ${action.name} is to be done`,
    atMs,
    type: "planned_action",
    rest: {
      hook: hookOf(order),
      description: action.description,
      identity,
      ...(name === undefined ? {} : { name }),
      ...(order.workspace === undefined ? {} : { workspace: order.workspace }),
      provider,
      ...(url === undefined ? {} : { url }),
      disruptions: [...action.disrupts],
      ...(order.consents === undefined ? {} : { consents: [...order.consents] }),
      ...(remarks === undefined ? {} : { remarks: [...remarks] }),
      ...(request === undefined ? {} : { request: { method: request.method, path: request.path } }),
    },
  });
}

export function actionStepMessage(order: ActionOrder, step: ActionStep, atMs: number): ValueMap {
  const message = actionStepText(order, step);
  const about = { level: step.kind === "stopping" ? "warn" : "info", message, atMs } as const;
  switch (step.kind) {
    case "started":
      return streamMessage({ ...about, type: "action_start", rest: { hook: hookOf(order) } });
    case "stopping":
      return streamMessage({ ...about, type: "interrupt", rest: { hook: hookOf(order) } });
    case "progress": {
      const hook = { ...hookOf(order), ...taskMembers(step) };
      return streamMessage({ ...about, type: "action_progress", rest: { hook } });
    }
  }
}

export function actionEndingMessage(
  order: ActionOrder,
  { ending, elapsedMs }: { readonly ending: ActionEnding; readonly elapsedMs: number },
  atMs: number,
): ValueMap {
  const { status } = ending;
  const hook = {
    ...hookOf(order),
    outcome: status,
    ...("word" in ending ? taskMembers(ending) : {}),
    elapsed_seconds: Math.floor(elapsedMs / 1000),
  };
  return streamMessage({
    ...endings[status],
    message: `${order.address}: ${order.action.name} ${endingWords[status]}`,
    atMs,
    rest: { hook },
  });
}

type Ending = Pick<StreamMessage, "level" | "type">;
const errored: Ending = { level: "error", type: "action_errored" };
const endings: { readonly [status in ActionEnding["status"]]: Ending } = {
  success: { level: "info", type: "action_complete" },
  needless: { level: "info", type: "action_complete" },
  failed: errored,
  vanished: errored,
  overdue: errored,
  left: { level: "warn", type: "action_left" },
};
const endingWords: { readonly [status in ActionEnding["status"]]: string } = {
  success: "complete",
  needless: "had nothing to do",
  failed: "failed",
  vanished: "ended in an unknown way",
  overdue: "goes on after its time limit",
  left: "goes on and is no longer followed",
};

function hookOf({ address, action }: ActionOrder): ValueMap {
  return { resource: streamResource(address), action: action.name };
}

function taskMembers(task: { readonly word: string; readonly progress?: number }): ValueMap {
  const { word, progress } = task;
  return { task_status: word, ...(progress === undefined ? {} : { progress_percent: progress }) };
}
