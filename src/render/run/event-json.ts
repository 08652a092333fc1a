/**
 * Engine events as objects of Terraform's JSON event stream (one per line): `@level`, `@message`,
 * `@module`, `@timestamp`, `type`. Events that have no equal there have types of our own, which
 * readers of the stream are to ignore: `request_retry`, `recovery_start`, `recovery_complete`,
 * `apply_skipped`, `interrupt`, `apply_overview`, `apply_queue`, `waiting`. A resource may have
 * several `apply_start`: one for each operation.
 */

import type { EngineEvent, Heartbeat } from "../../model/operation/event.ts";
import type { ChangeAction } from "../../model/plan/change.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { type Address, parseAddress } from "../../model/value/address.ts";
import type { ValueMap } from "../../model/value/value.ts";
import { escapeControls } from "../text/safe-text.ts";
import { eventText } from "./event-text.ts";

export type EventContext = {
  /** When it happened, milliseconds since the epoch. */
  readonly atMs: number;
  /** What the plan does to the resource; `update` when it does not say. */
  readonly actionOf?: ((address: Address) => ChangeAction | undefined) | undefined;
};

export function eventJson(event: EngineEvent, context: EventContext): ValueMap {
  const message = eventText(event, context.atMs);
  const level = levelOf(event);
  return streamMessage({ level, message, atMs: context.atMs, ...body(event, context) });
}

export type StreamMessage = {
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly atMs: number;
  readonly type: string;
  readonly rest?: ValueMap;
};

/** The members every line of the stream has, and its own behind them. */
export function streamMessage({ level, message, atMs, type, rest }: StreamMessage): ValueMap {
  return {
    "@level": level,
    "@message": escapeControls(message),
    "@module": "vmform.ui",
    "@timestamp": new Date(atMs).toISOString(),
    type,
    ...rest,
  };
}

/** A resource as the stream names it. */
export function streamResource(address: Address): ValueMap {
  const parts = parseAddress(address);
  if (parts === undefined) return { addr: address };
  const resource = `${parts.mode === "data" ? "data." : ""}${parts.type}.${parts.name}`;
  const at = parts.modules.length === 0 ? -1 : address.lastIndexOf(`.${resource}`);
  return {
    addr: address,
    module: at === -1 ? "" : address.slice(0, at),
    resource: at === -1 ? address : address.slice(at + 1),
    implied_provider: parts.type.split("_")[0] ?? "",
    resource_type: parts.type,
    resource_name: parts.name,
    resource_key: parts.key ?? null,
  };
}

/** The stream's word for an action. */
export function streamAction(action: ChangeAction): string {
  switch (action) {
    case "no-op":
      return "noop";
    case "forget":
      return "remove";
    case "create":
    case "update":
    case "replace":
    case "delete":
      return action;
  }
}

function levelOf(event: EngineEvent): StreamMessage["level"] {
  switch (event.kind) {
    case "diagnostic":
      return event.diagnostic.severity === "error" ? "error" : "warn";
    case "operation-ended":
      return event.outcome === "success" || event.outcome === "skipped" ? "info" : "error";
    case "recovery-ended":
      return event.outcome === "success" ? "info" : "warn";
    case "draining":
    case "task-cancelled":
    case "request-retried":
      return "warn";
    case "refresh-started":
    case "refresh-ended":
    case "recovery-started":
    case "operation-started":
    case "operation-waiting":
    case "operation-progress":
    case "apply-started":
    case "apply-ended":
    case "wait-started":
    case "wait-ended":
    case "still-running":
    case "still-running-many":
    case "still-queued":
    case "still-waiting":
      return "info";
  }
}

function body(
  event: EngineEvent,
  context: EventContext,
): { readonly type: string; readonly rest: ValueMap } {
  switch (event.kind) {
    case "request-retried":
      return { type: "request_retry", rest: { request: event.request } };
    case "refresh-started":
      return { type: "refresh_start", rest: { count: event.count, lookups: event.lookups } };
    case "refresh-ended": {
      const elapsed = seconds(event.elapsedMs);
      const { count, lookups, requests } = event;
      return {
        type: "refresh_complete",
        rest: { count, lookups, requests, elapsed_seconds: elapsed },
      };
    }
    case "recovery-started": {
      const deadline = new Date(event.deadlineMs).toISOString();
      const hook = { ...hookOf(event, context), verb: event.verb, deadline };
      return { type: "recovery_start", rest: { hook } };
    }
    case "recovery-ended": {
      const hook = { ...hookOf(event, context), outcome: event.outcome };
      return { type: "recovery_complete", rest: { hook } };
    }
    case "operation-started":
      return { type: "apply_start", rest: { hook: hookOf(event, context) } };
    case "operation-waiting":
      return { type: "apply_progress", rest: { hook: hookOf(event, context) } };
    case "apply-started":
    case "apply-ended":
    case "wait-ended":
      return { type: "none", rest: {} };
    case "wait-started":
      return { type: "waiting", rest: waitRest({ ...event.wait, elapsedMs: 0 }) };
    case "still-running":
    case "still-running-many":
    case "still-queued":
    case "still-waiting":
      return heartbeatBody(event, context);
    case "operation-progress": {
      const percent = event.progress === undefined ? {} : { progress_percent: event.progress };
      const hook = { ...hookOf(event, context), task_status: event.word, ...percent };
      return { type: "apply_progress", rest: { hook } };
    }
    case "operation-ended": {
      const ended = { outcome: event.outcome, elapsed_seconds: seconds(event.elapsedMs) };
      return {
        type: endType(event.outcome),
        rest: { hook: { ...hookOf(event, context), ...ended } },
      };
    }
    case "draining":
      return { type: "interrupt", rest: { running: event.running, remote_tasks: event.tasks } };
    case "task-cancelled": {
      const problem = event.problem === undefined ? {} : { problem: event.problem };
      return { type: "task_cancel", rest: { hook: { ...hookOf(event, context), ...problem } } };
    }
    case "diagnostic":
      return { type: "diagnostic", rest: { diagnostic: diagnosticJson(event.diagnostic) } };
  }
}

function heartbeatBody(
  beat: Heartbeat,
  context: EventContext,
): { readonly type: string; readonly rest: ValueMap } {
  switch (beat.kind) {
    case "still-running": {
      const { done, total } = beat;
      const { what: _what, ...rest } = waitRest(beat);
      return {
        type: "apply_progress",
        rest: { hook: { ...hookOf(beat, context), ...rest }, done, total },
      };
    }
    case "still-running-many": {
      const { running, done, total, elapsedMs } = beat;
      const rest = { running, done, total, elapsed_seconds: seconds(elapsedMs) };
      return { type: "apply_overview", rest };
    }
    case "still-queued": {
      const queue = beat.queue.map(({ addresses, behind }) => ({
        addresses: [...addresses],
        behind,
      }));
      return { type: "apply_queue", rest: { queue } };
    }
    case "still-waiting":
      return { type: "waiting", rest: waitRest(beat) };
  }
}

type WaitParts = {
  readonly what: string;
  readonly address?: Address;
  readonly elapsedMs: number;
  readonly untilMs?: number;
  readonly words?: string | (() => string | undefined);
};

function waitRest({ what, address, elapsedMs, untilMs, words }: WaitParts): ValueMap {
  const heard = typeof words === "function" ? words() : words;
  return {
    what,
    ...(address === undefined ? {} : { addr: address }),
    elapsed_seconds: Math.round(elapsedMs / 1000),
    ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
    ...(heard === undefined ? {} : { words: escapeControls(heard) }),
  };
}

function endType(outcome: Extract<EngineEvent, { kind: "operation-ended" }>["outcome"]): string {
  switch (outcome) {
    case "success":
      return "apply_complete";
    case "failed":
    case "unknown":
      return "apply_errored";
    case "skipped":
      return "apply_skipped";
  }
}

function hookOf(
  event: { readonly address: Address; readonly id: string },
  context: EventContext,
): ValueMap {
  const action = context.actionOf?.(event.address) ?? "update";
  return {
    resource: streamResource(event.address),
    action: streamAction(action),
    operation: event.id,
  };
}

/** A diagnostic in the stream's form; `code` and `fix` are our own. Offsets in bytes are absent. */
export function diagnosticJson(diagnostic: Diagnostic): ValueMap {
  const { severity, summary, detail, address, code, fix, source } = diagnostic;
  return {
    severity,
    summary,
    detail,
    ...(address === undefined ? {} : { address }),
    ...(source === undefined
      ? {}
      : {
          range: {
            filename: source.file,
            start: { line: source.line, column: source.column },
          },
          snippet: { code: source.text, start_line: source.line },
        }),
    code,
    ...(fix === undefined ? {} : { fix }),
  };
}

function seconds(durationMs: number): number {
  return Math.floor(durationMs / 1000);
}
