/** The pulse of a command in time: how often it beats, and what it knows of what is written. */

import { parseDurationMs } from "../../lib/time/duration.ts";
import type { EventSink } from "../../model/operation/event.ts";
import type { Pulse } from "./pulse.ts";
import type { Terminal } from "./terminal.ts";

const defaultMs = 10_000;
/** Looked at this often within a beat, so that a beat is late by as little. */
const looks = 20;

/** `VMFORM_HEARTBEAT`, such as `30s`; what is no duration is as good as nothing. */
export function heartbeatMs({ VMFORM_HEARTBEAT }: Terminal["environment"]): number {
  const wanted = parseDurationMs(VMFORM_HEARTBEAT ?? "");
  // A beat comes one look early, for a line is never to be missing for longer.
  const wholeMs = wanted === undefined || wanted === 0 ? defaultMs : wanted;
  return wholeMs - wholeMs / looks;
}

/** The terminal, with the pulse knowing of everything that is written there. */
export function watched(terminal: Terminal, pulse: Pick<Pulse, "written">): Terminal {
  return {
    ...terminal,
    write: (text) => {
      pulse.written();
      terminal.write(text);
    },
    writeError: (text) => {
      pulse.written();
      terminal.writeError(text);
    },
  };
}

/** Tells what is to be told; the timer keeps no process alive. Returns what ends it. */
export function startBeating(
  pulse: Pick<Pulse, "beat">,
  everyMs: number,
  tell: EventSink,
): () => void {
  const timer = setInterval(() => {
    for (const event of pulse.beat()) tell(event);
  }, everyMs / looks);
  timer.unref();
  return () => clearInterval(timer);
}
