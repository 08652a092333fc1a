/** What a run says goes into the database, in order and soon, as lines of JSON. */

import { JsonError, parseJson, stringifyJson } from "../../lib/json.ts";
import type { Taken, WorkerFleet } from "../../model/fleet/fleet.ts";
import { isMap, memberOf, type ValueMap } from "../../model/value/value.ts";
import { streamMessage } from "../../render/run/event-json.ts";

export type EventSink = {
  /** A line of the run's own stream, or of text. */
  readonly line: (text: string) => void;
  /** Something that the worker says of the run. */
  readonly say: (message: string, level?: "info" | "error") => void;
  /** The last counts, or what went wrong first. */
  readonly summary: () => {
    readonly counts?: string;
    /** What the counts are of. */
    readonly of: "plan" | "apply";
    readonly error?: string;
  };
  /** Codes of the errors so far. */
  readonly codes: () => ReadonlySet<string>;
  /** Writes what is left. Throws what the database does. */
  readonly close: () => Promise<void>;
};

const pauseMs = 200;

/** `clean` makes each line fit for others; `onLost` is called when somebody else has the run. */
export function createEventSink(
  fleet: Pick<WorkerFleet, "tell">,
  taken: Taken,
  on: { readonly clean: (line: string) => string; readonly onLost: () => void },
): EventSink {
  let waiting: string[] = [];
  let writing: Promise<void> = Promise.resolve();
  let failure: unknown;
  let isLost = false;
  let counts: string | undefined;
  let of: "plan" | "apply" = "plan";
  let error: string | undefined;
  const codes = new Set<string>();
  const write = async (): Promise<void> => {
    const lines = waiting;
    waiting = [];
    if (lines.length === 0 || isLost) return;
    if (await fleet.tell(taken, lines)) return;
    isLost = true;
    on.onLost();
  };
  const writeNext = (): Promise<void> => {
    writing = writing.then(write).catch((cause: unknown) => {
      failure ??= cause;
    });
    return writing;
  };
  const timer = setInterval(() => void writeNext(), pauseMs);
  const add = (message: ValueMap): void => {
    const type = memberOf(message, "type");
    const text = textIn(message, "@message");
    if (type === "change_summary") {
      counts = text;
      of = memberOf(memberOf(message, "changes"), "operation") === "plan" ? "plan" : "apply";
    }
    if (memberOf(message, "@level") === "error") {
      const code = memberOf(memberOf(message, "diagnostic"), "code");
      if (typeof code === "string") codes.add(code);
      if (type === "diagnostic") error ??= detailOf(message) ?? text;
    }
    waiting.push(on.clean(stringifyJson(message)));
  };
  const say: EventSink["say"] = (message, level = "info") =>
    add(streamMessage({ level, message, atMs: Date.now(), type: "worker", rest: {} }));
  return {
    line: (text) => {
      const message = messageIn(text);
      if (message === undefined) say(text);
      else add(message);
    },
    say,
    summary: () => ({
      of,
      ...(counts === undefined ? {} : { counts }),
      ...(error === undefined ? {} : { error }),
    }),
    codes: () => codes,
    close: async () => {
      clearInterval(timer);
      await writeNext();
      if (failure !== undefined) throw failure;
    },
  };
}

function textIn(message: ValueMap, name: string): string {
  const text = memberOf(message, name);
  return typeof text === "string" ? text : "";
}

function detailOf(message: ValueMap): string | undefined {
  const detail = memberOf(memberOf(message, "diagnostic"), "detail");
  return typeof detail === "string" ? detail : undefined;
}

/** Undefined of what is no message of a stream. */
function messageIn(text: string): ValueMap | undefined {
  try {
    const value = parseJson(text);
    return isMap(value) ? value : undefined;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
