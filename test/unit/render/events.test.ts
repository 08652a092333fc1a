/** Engine events, and the other lines of the stream, as text and as data. */

import { describe, expect, test } from "vitest";
import { stringifyJson } from "../../../src/lib/json.ts";
import type { EngineEvent } from "../../../src/model/operation/event.ts";
import type { ApplySummary } from "../../../src/render/plan/plan-summary.ts";
import { applySummaryText } from "../../../src/render/plan/plan-summary.ts";
import { eventJson } from "../../../src/render/run/event-json.ts";
import { eventText } from "../../../src/render/run/event-text.ts";
import {
  applySummaryMessage,
  outputsMessage,
  versionMessage,
} from "../../../src/render/run/stream-json.ts";
import { operationVerb } from "../../../src/render/text/verb-text.ts";
import { address } from "../../helpers/recorded-builder.ts";

const web = address(`module.lab[0].daemon_vm.web["a#1"]`);
const id = `${web}#on.1`;

type Case = readonly [EngineEvent, string, string, string];

const cases: readonly Case[] = [
  [
    { kind: "refresh-started", count: 1, lookups: 0 },
    "refresh_start",
    "info",
    "Refreshing state... (1 object)",
  ],
  [
    { kind: "refresh-started", count: 5, lookups: 3 },
    "refresh_start",
    "info",
    "Refreshing state... (2 objects, and 3 looked up)",
  ],
  [
    { kind: "refresh-started", count: 12, lookups: 12 },
    "refresh_start",
    "info",
    "Looking up what is wanted... (12 objects)",
  ],
  [
    { kind: "refresh-ended", count: 12, lookups: 12, elapsedMs: 20, requests: 2 },
    "refresh_complete",
    "info",
    "Lookup complete after 20ms",
  ],
  [
    { kind: "refresh-ended", count: 3, lookups: 0, elapsedMs: 61_500, requests: 2 },
    "refresh_complete",
    "info",
    "Refresh complete after 1m1s",
  ],
  [
    { kind: "recovery-started", address: web, id, verb: "on", deadlineMs: 0 },
    "recovery_start",
    "info",
    `${web}: Looking what became of the interrupted on, until 00:00:00 at most (Ctrl-C is safe; ` +
      `where you know that it did not happen: vmform state resolve '${web}' --not-done)`,
  ],
  [
    { kind: "recovery-ended", address: web, id, outcome: "success", message: "power is on" },
    "recovery_complete",
    "info",
    `${web}: The interrupted operation is done (power is on)`,
  ],
  [
    { kind: "recovery-ended", address: web, id, outcome: "unknown", message: "limit passed" },
    "recovery_complete",
    "warn",
    `${web}: The interrupted operation was not seen to happen (limit passed)`,
  ],
  [
    { kind: "operation-started", address: web, id, summary: "power on web" },
    "apply_start",
    "info",
    `${web}: power on web...`,
  ],
  [
    { kind: "operation-waiting", address: web, id, message: "busy\n\u001b[2J" },
    "apply_progress",
    "info",
    `${web}: Waiting: busy\\n\\u001b[2J`,
  ],
  [
    { kind: "operation-ended", address: web, id, outcome: "success", elapsedMs: 12 },
    "apply_complete",
    "info",
    `${web}: on complete after 12ms`,
  ],
  [
    {
      kind: "operation-ended",
      address: web,
      id,
      outcome: "failed",
      elapsedMs: 3_600_000,
      message: "500",
    },
    "apply_errored",
    "error",
    `${web}: on failed after 1h: 500`,
  ],
  [
    { kind: "operation-ended", address: web, id, outcome: "unknown", elapsedMs: 9_999 },
    "apply_errored",
    "error",
    `${web}: on not seen to take effect after 9s`,
  ],
  [
    {
      kind: "operation-ended",
      address: web,
      id,
      outcome: "skipped",
      elapsedMs: 0,
      message: "db failed",
    },
    "apply_skipped",
    "info",
    `${web}: on skipped: db failed`,
  ],
  [
    { kind: "draining", running: 0, tasks: 0 },
    "interrupt",
    "warn",
    "Stopping: nothing is running.",
  ],
  [
    {
      kind: "diagnostic",
      diagnostic: {
        severity: "warning",
        code: "RUN001",
        summary: "Slow server",
        detail: "It answers late",
        fix: "Wait.",
        address: web,
        source: { file: "a.vmform.yaml", line: 2, column: 3, text: "  x: 1" },
      },
    },
    "diagnostic",
    "warn",
    `warning RUN001: a.vmform.yaml:2:3: ${web}: Slow server. It answers late. Wait.`,
  ],
];

describe("events", () => {
  test.each(cases)("%j", (event, type, level, text) => {
    expect(eventText(event, 1)).toBe(text);
    const data = eventJson(event, { atMs: 1 });
    expect(data).toMatchObject({
      type,
      "@level": level,
      "@message": text,
      "@timestamp": "1970-01-01T00:00:00.001Z",
    });
    expect(stringifyJson(data)).not.toContain("\n");
  });
});

test("a hook names the resource as existing readers of the stream expect", () => {
  const event: EngineEvent = { kind: "operation-started", address: web, id, summary: "s" };
  expect(eventJson(event, { atMs: 0, actionOf: () => "no-op" }).hook).toEqual({
    resource: {
      addr: web,
      module: "module.lab[0]",
      resource: `daemon_vm.web["a#1"]`,
      implied_provider: "daemon",
      resource_type: "daemon_vm",
      resource_name: "web",
      resource_key: "a#1",
    },
    action: "noop",
    operation: id,
  });
});

test.each([
  ["daemon_vm.web#on.1", "on"],
  [`daemon_vm.web["a#b"]#set-tag.12`, "set-tag"],
  ["daemon_vm.web(deposed-1)#delete", "delete"],
  ["no verb", "no verb"],
])("the verb of %s is %s", (operation, verb) => {
  expect(operationVerb(operation)).toBe(verb);
});

const done: ApplySummary = {
  mode: "apply",
  imported: 0,
  adopted: 0,
  moved: 0,
  added: 1,
  changed: 2,
  destroyed: 0,
  forgotten: 0,
  failed: 0,
  pending: 0,
  skipped: 0,
  kept: 0,
  interrupted: false,
};

test.each<readonly [Partial<ApplySummary>, string, string]>([
  [
    { pending: 2 },
    "Apply is not complete. Resources: 1 added, 2 changed, 0 destroyed, 2 left for later.",
    "info",
  ],
  [{}, "Apply complete! Resources: 1 added, 2 changed, 0 destroyed.", "info"],
  [
    { imported: 4 },
    "Apply complete! Resources: 4 imported, 1 added, 2 changed, 0 destroyed.",
    "info",
  ],
  [
    { imported: 1, adopted: 12 },
    "Apply complete! Resources: 1 imported, 12 adopted, 1 added, 2 changed, 0 destroyed.",
    "info",
  ],
  [
    { failed: 1, skipped: 3 },
    "Apply ended with errors. Resources: 1 added, 2 changed, 0 destroyed, 1 failed, 3 not finished.",
    "error",
  ],
  [
    { interrupted: true },
    "Apply was interrupted. Resources: 1 added, 2 changed, 0 destroyed.",
    "error",
  ],
  [{ mode: "destroy", destroyed: 4 }, "Destroy complete! Resources: 4 destroyed.", "info"],
  [
    { mode: "destroy", destroyed: 4, kept: 2 },
    "Destroy is not complete. Resources: 4 destroyed, 2 may still appear.",
    "error",
  ],
  [
    { mode: "destroy", forgotten: 1 },
    "Destroy complete! Resources: 0 destroyed, 1 forgotten.",
    "info",
  ],
])("%j", (parts, text, level) => {
  const summary = { ...done, ...parts };
  expect(applySummaryText(summary)).toBe(text);
  const message = applySummaryMessage(summary, 0);
  expect(message).toMatchObject({ "@level": level, "@message": text, type: "change_summary" });
});

test("the stream's version and outputs", () => {
  expect(versionMessage("0.1.0", 0)).toMatchObject({ type: "version", vmform: "0.1.0", ui: "1.0" });
  const outputs = [
    { name: "ip", value: "10.0.0.1", sensitive: false },
    { name: "key", value: "s3cr&t", sensitive: true },
  ];
  expect(outputsMessage(outputs, 0).outputs).toEqual({
    ip: { sensitive: false, value: "10.0.0.1" },
    key: { sensitive: true },
  });
});
