/** How commands show things: text for people, or one JSON object per line. */

import { stringifyJson } from "../lib/json.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { EngineEvent } from "../model/event.ts";
import type { Plan } from "../model/plan.ts";
import type { TypeRegistry } from "../model/provider.ts";
import type { ValueMap } from "../model/value.ts";
import { diagnosticsText } from "../render/diagnostic-text.ts";
import { type EventContext, eventJson } from "../render/event-json.ts";
import { eventText } from "../render/event-text.ts";
import type { PlanTextOptions } from "../render/plan-text.ts";
import { versionMessage } from "../render/stream-json.ts";
import { type Terminal, usesColor } from "./terminal.ts";

export type View = {
  readonly json: boolean;
  readonly options: PlanTextOptions;
  /** A line for people; nothing in JSON. */
  text(text: string): void;
  /** An object of the JSON stream; nothing in text. */
  message(message: ValueMap): void;
  /** A whole document; in JSON the only thing written. */
  document(value: ValueMap): void;
  diagnostics(diagnostics: readonly Diagnostic[]): void;
  /** An error that has no place in a file. */
  error(summary: string, detail: string, fix?: string): void;
  event(event: EngineEvent): void;
  /** From now on, events know what the plan does to each resource. */
  follow(plan: Plan): void;
};

export type ViewOptions = {
  readonly json: boolean;
  readonly noColor: boolean;
  readonly version: string;
  readonly types: TypeRegistry;
  readonly now: () => number;
};

export function createView(terminal: Terminal, options: ViewOptions): View {
  const { json, types, now } = options;
  const { width } = terminal;
  const color = !json && usesColor(terminal, options.noColor);
  const renderOptions = { ...(width === undefined ? {} : { width }), color, types };
  let actionOf: EventContext["actionOf"];
  let begun = false;

  const message = (value: ValueMap): void => {
    if (!json) return;
    if (!begun) terminal.write(`${stringifyJson(versionMessage(options.version, now()))}\n`);
    begun = true;
    terminal.write(`${stringifyJson(value)}\n`);
  };
  const text = (value: string): void => {
    if (!json && value !== "") terminal.write(`${value}\n`);
  };
  const diagnostics = (items: readonly Diagnostic[]): void => {
    if (items.length === 0) return;
    if (json) {
      for (const diagnostic of items) {
        message(eventJson({ kind: "diagnostic", diagnostic }, { atMs: now() }));
      }
      return;
    }
    terminal.writeError(`${diagnosticsText(items, renderOptions)}\n`);
  };
  return {
    json,
    options: renderOptions,
    text,
    message,
    document: (value) => {
      if (json) terminal.write(`${stringifyJson(value)}\n`);
    },
    diagnostics,
    error: (summary, detail, fix) => {
      const diagnostic = { severity: "error", code: "CLI001", summary, detail } as const;
      diagnostics([fix === undefined ? diagnostic : { ...diagnostic, fix }]);
    },
    event: (event) => {
      const context = { atMs: now(), ...(actionOf === undefined ? {} : { actionOf }) };
      if (json) message(eventJson(event, context));
      else text(eventText(event));
    },
    follow: (plan) => {
      const actions = new Map(plan.changes.map((change) => [change.address, change.action]));
      actionOf = (address) => actions.get(address);
    },
  };
}
