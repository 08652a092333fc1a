/** Events become spans: which there are, in which, and what they say. */

import { ROOT_CONTEXT, SpanStatusCode } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { expect, it } from "vitest";
import type { EngineEvent } from "../../../src/model/operation/event.ts";
import type { Address } from "../../../src/model/value/address.ts";
import { startRunTrace } from "../../../src/telemetry/run-trace.ts";

const overview = () => ({ total: 2, done: 0, queue: [] });
const web = { address: "daemon_vm.web" as Address, id: "daemon_vm.web#shutdown.1" };
const other = { address: 'daemon_vm.app["#x.1"]' as Address, id: 'daemon_vm.app["#x.1"]#create.2' };

/** A line for each span, indented by what it is in, with its time in milliseconds. */
function spansOf(events: readonly EngineEvent[], exitCode: number, failed: boolean): string {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  let nowMs = 1_000;
  const trace = startRunTrace({
    tracer: provider.getTracer("test"),
    name: "vmform apply",
    parent: ROOT_CONTEXT,
    began: new Date(1_000),
    now: () => new Date((nowMs += 10)),
    mask: (text) => text.replaceAll("hunter2", "***"),
  });
  for (const event of events) trace.hear(event);
  trace.end(exitCode, failed);
  const spans = exporter.getFinishedSpans();
  const within = (id: string | undefined, indent: string): readonly string[] =>
    spans
      .filter(({ parentSpanContext }) => parentSpanContext?.spanId === id)
      .toSorted((a, b) => ms(a.startTime) - ms(b.startTime))
      .flatMap((span) => [
        ...described(span, indent),
        ...within(span.spanContext().spanId, `${indent}  `),
      ]);
  return within(undefined, "").join("\n");
}

function described(span: ReadableSpan, indent: string): readonly string[] {
  const { name, startTime, endTime, attributes, status, events } = span;
  const wrong = status.code === SpanStatusCode.ERROR ? ` ERROR ${status.message ?? ""}` : "";
  return [
    `${indent}${name} ${ms(startTime)}-${ms(endTime)}${wrong} ${JSON.stringify(attributes)}`,
    ...events.map((one) => `${indent}  ! ${one.name} ${JSON.stringify(one.attributes)}`),
  ];
}

function ms([seconds, nanoseconds]: readonly [number, number]): number {
  return seconds * 1000 + nanoseconds / 1e6;
}

it("a run has phases, and its apply operations", () => {
  const events: readonly EngineEvent[] = [
    { kind: "refresh-started", count: 3, lookups: 1 },
    { kind: "request-retried", request: "GET /api/vms", message: "503, password hunter2" },
    { kind: "refresh-ended", count: 3, lookups: 1, elapsedMs: 5, requests: 2 },
    { kind: "recovery-started", ...web, verb: "shutdown", deadlineMs: 0 },
    { kind: "recovery-ended", ...web, outcome: "unknown", message: "nobody can tell" },
    { kind: "apply-started", overview },
    { kind: "operation-started", ...web, summary: "shut web down" },
    { kind: "operation-started", ...other, summary: "create" },
    { kind: "operation-waiting", ...web, message: "for the guest" },
    { kind: "operation-ended", ...web, outcome: "success", elapsedMs: 1 },
    {
      kind: "operation-ended",
      ...other,
      outcome: "failed",
      elapsedMs: 1,
      message: "no: hunter2",
    },
    {
      kind: "operation-ended",
      address: "daemon_vm.z" as Address,
      id: "daemon_vm.z#off.1",
      outcome: "skipped",
      elapsedMs: 0,
    },
    { kind: "apply-ended" },
  ];
  expect(spansOf(events, 1, true)).toMatchInlineSnapshot(`
    "vmform apply 1000-1140 ERROR  {"process.exit.code":1}
      refresh 1010-1030 {"vmform.objects":3,"vmform.lookups":1,"vmform.requests":2}
        ! request retried {"vmform.request":"GET /api/vms","vmform.message":"503, password ***"}
      recover shutdown 1040-1050 ERROR nobody can tell {"vmform.address":"daemon_vm.web","vmform.operation.id":"daemon_vm.web#shutdown.1","vmform.outcome":"unknown","vmform.message":"nobody can tell"}
      apply 1060-1130 {}
        ! operation not begun {"vmform.address":"daemon_vm.z","vmform.operation.id":"daemon_vm.z#off.1","vmform.outcome":"skipped"}
        operation shutdown 1070-1100 {"vmform.address":"daemon_vm.web","vmform.operation.id":"daemon_vm.web#shutdown.1","vmform.operation.summary":"shut web down","vmform.outcome":"success"}
          ! waiting {"vmform.message":"for the guest"}
        operation create 1080-1110 ERROR no: *** {"vmform.address":"daemon_vm.app[\\"#x.1\\"]","vmform.operation.id":"daemon_vm.app[\\"#x.1\\"]#create.2","vmform.operation.summary":"create","vmform.outcome":"failed"}"
  `);
});

it("what is open at the end is said to be, innermost first", () => {
  const events: readonly EngineEvent[] = [
    { kind: "apply-started", overview },
    { kind: "operation-started", ...web, summary: "shut web down" },
    { kind: "draining", running: 1, tasks: 0 },
  ];
  expect(spansOf(events, 130, true)).toMatchInlineSnapshot(`
    "vmform apply 1000-1060 ERROR  {"process.exit.code":130}
      ! draining {"vmform.operations.running":1}
      apply 1010-1050 ERROR not ended {}
        operation shutdown 1020-1040 ERROR not ended {"vmform.address":"daemon_vm.web","vmform.operation.id":"daemon_vm.web#shutdown.1","vmform.operation.summary":"shut web down"}"
  `);
});

it("what ends without a beginning makes no span", () => {
  const events: readonly EngineEvent[] = [
    { kind: "refresh-ended", count: 0, lookups: 0, elapsedMs: 0, requests: 0 },
    { kind: "apply-ended" },
  ];
  expect(spansOf(events, 0, false)).toMatchInlineSnapshot(
    `"vmform apply 1000-1010 {"process.exit.code":0}"`,
  );
});
