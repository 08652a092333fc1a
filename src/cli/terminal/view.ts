/** How commands show things: text for people, or one JSON object per line. */

import { stringifyJson } from "../../lib/json.ts";
import type { EngineEvent } from "../../model/operation/event.ts";
import type { Durations } from "../../model/plan/durations.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { TypeRegistry } from "../../model/provider/provider.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { ValueMap } from "../../model/value/value.ts";
import type { PlanTextOptions } from "../../render/plan/plan-text.ts";
import { diagnosticJson, type EventContext, eventJson } from "../../render/run/event-json.ts";
import { eventText, isTold } from "../../render/run/event-text.ts";
import { versionMessage } from "../../render/run/stream-json.ts";
import { diagnosticsText } from "../../render/text/diagnostic-text.ts";
import { publicDocument } from "../../render/text/public-json.ts";
import { renderLines, textLine } from "../../render/text/styled-line.ts";
import { type Terminal, usesColor } from "./terminal.ts";

export type View = {
  readonly json: boolean;
  /** In JSON, all that is written is one document: what belongs together is written at once. */
  readonly isDocument: boolean;
  /** Somebody can be asked. */
  readonly asks: boolean;
  readonly options: PlanTextOptions;
  /** Text for people, as it is; nothing in JSON. */
  text(text: string): void;
  /** Sentences for people, wrapped between words; nothing in JSON. */
  say(text: string): void;
  /** A line beside a result that has standard output for itself; nothing in JSON. */
  note(text: string): void;
  /** An object of the JSON stream; nothing in text. */
  message(message: ValueMap): void;
  /** A whole document, the only thing such a command writes in JSON; nothing in text. */
  document(value: ValueMap): void;
  /** Goes with the next document, or to standard error where none follows; else as diagnostics. */
  beside(diagnostics: readonly Diagnostic[]): void;
  /** What is still to be told beside a document. */
  end(): void;
  /** As `document`, where every member is named by the user. */
  values(value: ValueMap): void;
  /** Standard error in text. In JSON, messages of the stream, or the document of a failure. */
  diagnostics(diagnostics: readonly Diagnostic[]): void;
  event(event: EngineEvent): void;
  /** From now on, events in text go to standard error: standard output is one document. */
  eventsAside(): void;
  /**
   * From now on, events know what the plan does to each resource, and what is drawn how long such
   * work took in earlier runs.
   */
  follow(plan: Plan, earlier?: Durations): void;
};

export type ViewOptions = {
  readonly json: boolean;
  /** False: nobody is asked for anything. */
  readonly input?: boolean;
  /** In JSON, a stream of messages, or one document that is everything on standard output. */
  readonly form: "stream" | "document";
  readonly noColor: boolean;
  readonly version: string;
  readonly types: TypeRegistry;
  readonly now: () => number;
};

export function createView(terminal: Terminal, options: ViewOptions): View {
  const { json, now } = options;
  const { renderOptions, errorOptions } = renderOptionsOf(terminal, options);
  let actionOf: EventContext["actionOf"];
  let begun = false;
  let complained = false;
  let aside = false;
  const isDocument = json && options.form === "document";
  const besides = besideDocuments(terminal);

  const writeJson = (value: ValueMap): void => {
    if (json) terminal.write(`${stringifyJson(value)}\n`);
  };
  const message = (value: ValueMap): void => {
    if (!json) return;
    if (!begun) writeJson(versionMessage(options.version, now()));
    begun = true;
    writeJson(value);
  };
  const text = (value: string): void => {
    if (!json && value !== "") terminal.write(`${value}\n`);
  };
  const diagnostics = (items: readonly Diagnostic[]): void => {
    if (items.length === 0) return;
    if (isDocument) return writeJson(publicDocument({ diagnostics: items.map(diagnosticJson) }));
    if (json) {
      for (const diagnostic of items) {
        message(eventJson({ kind: "diagnostic", diagnostic }, { atMs: now() }));
      }
      return;
    }
    terminal.writeError(`${complained ? "\n" : ""}${diagnosticsText(items, errorOptions)}\n`);
    complained = true;
  };
  return {
    json,
    isDocument,
    asks: terminal.interactive && !json && options.input !== false,
    options: renderOptions,
    text,
    say: (value) => text(wrapped(value, terminal.width)),
    note: (value) => {
      if (!json) terminal.writeError(`${value}\n`);
    },
    message,
    document: (value) => writeJson(publicDocument({ ...value, ...besides.taken() })),
    beside: (items) => (isDocument ? besides.add(items) : diagnostics(items)),
    end: () => besides.tell((items) => diagnosticsText(items, errorOptions)),
    values: writeJson,
    diagnostics,
    event: (event) => {
      if (!isTold(event)) return;
      const atMs = now();
      if (isDocument ? isOfWaiting(event) : !json && aside) {
        terminal.writeError(`${wrapped(eventText(event, atMs), terminal.errorWidth)}\n`);
      } else if (!json) text(wrapped(eventText(event, atMs), terminal.width));
      else if (!isDocument) message(eventJson(event, { atMs, actionOf }));
    },
    eventsAside: () => {
      aside = true;
    },
    follow: (plan) => {
      actionOf = actionsIn(plan);
    },
  };
}

/** Of both streams. */
function renderOptionsOf(terminal: Terminal, { json, noColor, types }: ViewOptions) {
  const { environment, isTerminal, errorIsTerminal } = terminal;
  const color = !json && usesColor(environment, isTerminal, noColor);
  const errorColor = usesColor(environment, errorIsTerminal, noColor);
  return {
    renderOptions: { ...withWidth(terminal.width), color, types },
    errorOptions: { ...withWidth(terminal.errorWidth), color: errorColor },
  };
}

/** What is kept until a document can have it. */
function besideDocuments({ writeError }: Terminal) {
  let kept: readonly Diagnostic[] = [];
  return {
    add: (items: readonly Diagnostic[]): void => {
      kept = [...kept, ...items];
    },
    taken: (): ValueMap => {
      const items = kept;
      kept = [];
      return items.length === 0 ? {} : { diagnostics: items.map(diagnosticJson) };
    },
    tell: (textOf: (items: readonly Diagnostic[]) => string): void => {
      if (kept.length > 0) writeError(`${textOf(kept)}\n`);
      kept = [];
    },
  };
}

function actionsIn({ changes }: Plan): EventContext["actionOf"] {
  const actions = new Map(changes.map(({ address, action }) => [address, action]));
  return (address) => actions.get(address);
}

function wrapped(text: string, width: number | undefined): string {
  const lines = text.split("\n").map((one) => textLine(one, undefined, 2));
  return renderLines(lines, { ...withWidth(width), color: false });
}

/** Signs of life, which stand on standard error where standard output is one document. */
function isOfWaiting({ kind }: EngineEvent): boolean {
  return kind === "wait-started" || kind === "still-waiting" || kind === "request-retried";
}

function withWidth(width: number | undefined): { readonly width?: number } {
  return width === undefined ? {} : { width };
}
