/**
 * One run as a trace: a span for the command, in it one for each phase, in that of the apply one
 * for each operation. Made of the events that views are made of, at the time they are heard.
 */

import type { Tracer } from "@opentelemetry/api";
import {
  type Attributes,
  type Context,
  type Span,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { EngineEvent, EventSink } from "../model/operation/event.ts";

export type RunTrace = {
  readonly hear: EventSink;
  /** Ends what is still open, and the run. `failed`: as its exit code says. */
  readonly end: (exitCode: number, failed: boolean) => void;
};

export type TraceStart = {
  readonly tracer: Tracer;
  /** Names the span of the run, such as `vmform apply`. */
  readonly name: string;
  /** What the run was started by, by `TRACEPARENT`. */
  readonly parent: Context;
  /** When the process began. A number could be taken for one that counts from there. */
  readonly began: Date;
  readonly now: () => Date;
  /** A text without secrets. */
  readonly mask: (text: string) => string;
};

type Tracing = TraceStart & {
  readonly run: Span;
  /** By what ends it: a phase by its kind, an operation by its id. */
  readonly open: Map<string, Span>;
};

/** Each event goes to one of these; those that say nothing of time are left out. */
export function startRunTrace(start: TraceStart): RunTrace {
  const { tracer, name, parent, began, now } = start;
  const run = tracer.startSpan(name, { startTime: began }, parent);
  const tracing: Tracing = { ...start, run, open: new Map() };
  return {
    hear: (event) => {
      hearPhase(tracing, event);
      hearOperation(tracing, event);
      hearRemark(tracing, event);
    },
    end: (exitCode, failed) => {
      // Innermost first: what began last.
      for (const key of [...tracing.open.keys()].toReversed()) close(tracing, key, {}, "not ended");
      run.setAttribute("process.exit.code", exitCode);
      if (failed) run.setStatus({ code: SpanStatusCode.ERROR });
      run.end(now());
    },
  };
}

function hearPhase(tracing: Tracing, event: EngineEvent): void {
  switch (event.kind) {
    case "refresh-started":
      return open(tracing, "refresh", "refresh", {});
    case "refresh-ended":
      return close(tracing, "refresh", {
        "vmform.objects": event.count,
        "vmform.lookups": event.lookups,
        "vmform.requests": event.requests,
      });
    case "apply-started":
      return open(tracing, "apply", "apply", {});
    case "apply-ended":
      return close(tracing, "apply", {});
    case "recovery-started":
      return open(tracing, `recovery ${event.id}`, `recover ${event.verb}`, {
        ...subjectOf(event),
      });
    case "recovery-ended": {
      const { id, outcome, message } = event;
      const said = { "vmform.outcome": outcome, "vmform.message": tracing.mask(message) };
      return close(tracing, `recovery ${id}`, said, outcome === "success" ? undefined : message);
    }
    default:
  }
}

function hearOperation(tracing: Tracing, event: EngineEvent): void {
  switch (event.kind) {
    case "operation-started": {
      const summary = { "vmform.operation.summary": tracing.mask(event.summary) };
      const attributes = { ...subjectOf(event), ...summary };
      return open(tracing, event.id, `operation ${verbOf(event.id)}`, attributes);
    }
    case "operation-waiting":
      return note(tracing, event.id, "waiting", { "vmform.message": tracing.mask(event.message) });
    case "task-cancelled":
      return note(tracing, event.id, "task cancelled", {
        ...(event.problem === undefined ? {} : { "vmform.message": tracing.mask(event.problem) }),
      });
    case "operation-ended": {
      const { id, outcome, message = "" } = event;
      if (!tracing.open.has(id)) {
        const said = { ...subjectOf(event), "vmform.outcome": outcome };
        return note(tracing, "apply", "operation not begun", said);
      }
      const wrong = outcome === "success" ? undefined : message || outcome;
      return close(tracing, id, { "vmform.outcome": outcome }, wrong);
    }
    default:
  }
}

function hearRemark(tracing: Tracing, event: EngineEvent): void {
  switch (event.kind) {
    case "request-retried":
      return note(tracing, innermost(tracing), "request retried", {
        "vmform.request": tracing.mask(event.request),
        "vmform.message": tracing.mask(event.message),
      });
    case "draining":
      return note(tracing, "run", "draining", { "vmform.operations.running": event.running });
    case "diagnostic": {
      const { severity, code, detail } = event.diagnostic;
      const text = { "vmform.severity": severity, "vmform.message": tracing.mask(detail) };
      return note(tracing, "run", "diagnostic", { ...text, "vmform.code": code });
    }
    default:
  }
}

function subjectOf({ address, id }: { readonly address: string; readonly id: string }): Attributes {
  return { "vmform.address": address, "vmform.operation.id": id };
}

/** Of `daemon_vm.web#shutdown.1`. Spans of one kind have one name, whatever they are about. */
function verbOf(id: string): string {
  return id.slice(id.lastIndexOf("#") + 1).replace(/\.\d+$/, "");
}

/** A request is of one operation only where no other runs. */
function innermost({ open: spans }: Tracing): string {
  const phases = ["apply", "refresh"].filter((phase) => spans.has(phase));
  return phases[0] ?? "run";
}

function open(tracing: Tracing, key: string, name: string, attributes: Attributes): void {
  const within = tracing.open.get("apply") ?? tracing.run;
  const context = trace.setSpan(tracing.parent, within);
  const began = { startTime: tracing.now(), attributes };
  tracing.open.set(key, tracing.tracer.startSpan(name, began, context));
}

function close(tracing: Tracing, key: string, attributes: Attributes, wrong?: string): void {
  const span = tracing.open.get(key);
  if (span === undefined) return;
  tracing.open.delete(key);
  span.setAttributes(attributes);
  if (wrong !== undefined) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: tracing.mask(wrong) });
  }
  span.end(tracing.now());
}

function note(tracing: Tracing, key: string, name: string, attributes: Attributes): void {
  const span = tracing.open.get(key) ?? tracing.run;
  span.addEvent(name, attributes, tracing.now());
}
