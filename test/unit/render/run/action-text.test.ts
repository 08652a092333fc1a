/** Actions, the offer to cancel and tickets, as people and programs see them. */

import { describe, expect, test } from "vitest";
import type { Disruption } from "../../../../src/model/operation/disruption.ts";
import type {
  ActionEnding,
  ActionOrder,
  ActionStep,
} from "../../../../src/model/provider/action.ts";
import {
  actionEndingMessage,
  actionStepMessage,
  plannedActionMessage,
} from "../../../../src/render/run/action-json.ts";
import {
  actionEndingText,
  actionOrderText,
  actionStepText,
} from "../../../../src/render/run/action-text.ts";
import { eventText } from "../../../../src/render/run/event-text.ts";
import { ticketText } from "../../../../src/render/state/ticket-text.ts";
import { displayColumns } from "../../../../src/render/text/styled-line.ts";
import { address } from "../../../helpers/recorded-builder.ts";

const order: ActionOrder = {
  address: address('cloud_vm.web["a"]'),
  type: "cloud_vm",
  provider: "cloud.east",
  url: "https://east.example",
  identity: "/api/vApp/vm-e9041b1f-171e-48c0-8c38-2982ea4f072d",
  name: "web-a",
  action: { name: "shutdown", description: "ask the guest to shut down", disrupts: ["power-off"] },
  request: { method: "POST", path: "/api/vApp/vm-1/power/action/shutdown" },
  cancelable: true,
  wantedPower: "on",
};
const cancel: ActionOrder = {
  ...order,
  action: { name: "cancel-task", description: "ask to cancel the running task", disrupts: [] },
};
const plain = { color: false };

test("an order names what, where, and what it disrupts", () => {
  expect(actionOrderText(order, [], plain)).toBe(
    [
      "vmform will do this once, now:",
      "",
      '  # cloud_vm.web["a"]: shutdown',
      "  ask the guest to shut down",
      "    object:      web-a (/api/vApp/vm-e9041b1f-171e-48c0-8c38-2982ea4f072d)",
      "    provider:    cloud.east (https://east.example)",
      "    request:     POST /api/vApp/vm-1/power/action/shutdown",
      "    disruptions: power-off",
      "",
      "This action needs consent: power-off.",
    ].join("\n"),
  );
});

test.each<[readonly Disruption[], readonly Disruption[], readonly string[]]>([
  [["power-off"], [], ["This action needs consent: power-off."]],
  [["power-off"], ["destroy"], ["This action needs consent: power-off."]],
  [["power-off"], ["power-off"], ["Consent given: power-off."]],
  [
    ["power-off", "discard-state"],
    ["power-off"],
    ["Consent given: power-off.", "This action needs consent: discard-state."],
  ],
  [[], ["power-off"], []],
])("%j, with consent to %j", (disrupts, allowed, expected) => {
  const text = actionOrderText({ ...order, action: { ...order.action, disrupts } }, allowed, plain);
  expect(text.split("\n").filter((line) => /consent/i.test(line))).toEqual(expected);
});

test("what is not known, or says nothing, is left out", () => {
  const { name: _name, url: _url, request: _request, ...rest } = cancel;
  const action = { name: "suspend", description: "suspend", disrupts: [] };
  const text = actionOrderText({ ...rest, action }, [], plain);
  expect(text.split("\n").slice(2)).toEqual([
    '  # cloud_vm.web["a"]: suspend',
    "    object:      /api/vApp/vm-e9041b1f-171e-48c0-8c38-2982ea4f072d",
    "    provider:    cloud.east",
    "    disruptions: none",
  ]);
});

const hostile = "a\u001b[31m\n\u202eb";

test.each([80, 40])("%i columns hold it, without characters that move the cursor", (width) => {
  const text = actionOrderText({ ...order, name: hostile }, [], { color: false, width });
  for (const line of text.split("\n")) expect(displayColumns(line)).toBeLessThanOrEqual(width);
  expect(text).not.toMatch(/[^\P{C}\n]/u);
  expect(text).toContain("a\\u001b[31m\\n\\u202eb");
});

describe("steps and endings", () => {
  test.each<[ActionStep, string, string]>([
    [{ kind: "started" }, 'cloud_vm.web["a"]: shutdown...', "action_start"],
    [
      { kind: "progress", word: hostile },
      'cloud_vm.web["a"]: Remote task is a\\u001b[31m\\n\\u202eb',
      "action_progress",
    ],
    [
      { kind: "progress", word: "queued", progress: 0 },
      'cloud_vm.web["a"]: Remote task is queued, 0 %',
      "action_progress",
    ],
    [
      { kind: "stopping" },
      "Stopping: waiting for the reply. Interrupt again to stop at once; then nobody knows " +
        "whether it was done.",
      "interrupt",
    ],
  ])("%j", (step, text, type) => {
    expect(actionStepText(order, step)).toBe(text);
    const message = actionStepMessage(order, step, 0);
    expect(message).toMatchObject({ "@message": text, type, hook: { action: "shutdown" } });
  });

  test.each<[ActionOrder, ActionEnding, readonly string[], string, string]>([
    [
      order,
      { status: "success" },
      [
        'Action complete after 5s: shutdown of cloud_vm.web["a"].',
        "It is not recorded: what it has changed, the next plan shows as drift. " +
          "Power was last applied as on; an apply brings that back.",
      ],
      "action_complete",
      "info",
    ],
    [
      cancel,
      { status: "success", message: "the task was canceled" },
      [
        'Action complete after 5s: cancel-task of cloud_vm.web["a"]: the task was canceled.',
        "What the task had done by then, the next plan shows.",
      ],
      "action_complete",
      "info",
    ],
    [
      order,
      { status: "left", word: "running", progress: 40 },
      [
        'Stopped following shutdown of cloud_vm.web["a"] after 5s.',
        "Its remote task (running, 40 %) goes on at the server.",
        "To end it: vmform it",
      ],
      "action_left",
      "warn",
    ],
    [order, { status: "failed", message: "no" }, [""], "action_errored", "error"],
    [order, { status: "vanished" }, [""], "action_errored", "error"],
    [order, { status: "overdue", word: "running", limitMs: 1 }, [""], "action_errored", "error"],
  ])("%#", (given, ending, lines, type, level) => {
    const ended = { ending, elapsedMs: 5_000 };
    expect(actionEndingText(given, ended, "vmform it", plain).split("\n")).toEqual(lines);
    expect(actionEndingMessage(given, ended, 0)).toMatchObject({
      "@level": level,
      type,
      hook: { action: given.action.name, outcome: ending.status, elapsed_seconds: 5 },
    });
  });

  test("without a command that ends the task none is named", () => {
    const ended = { ending: { status: "left", word: "running" }, elapsedMs: 0 } as const;
    const asked = actionEndingText(cancel, ended, undefined, plain).split("\n");
    expect(asked[1]).toBe(
      "Its remote task (running) has been asked to cancel, and goes on at the server.",
    );
    expect(asked).toHaveLength(2);
  });
});

test("the stream tells what is to be done", () => {
  expect(plannedActionMessage(order, 0)).toMatchObject({
    type: "planned_action",
    hook: { resource: { addr: order.address, resource_key: "a" }, action: "shutdown" },
    identity: order.identity,
    name: "web-a",
    provider: "cloud.east",
    url: "https://east.example",
    disruptions: ["power-off"],
    request: { method: "POST", path: "/api/vApp/vm-1/power/action/shutdown" },
  });
});

test.each([
  [1, 0, /waiting for 1 running operation to end\. .*the next run then settles/],
  [3, 2, /waiting for 3 running operations to end \(2 remote tasks\)\. .*attaches to them/],
])("draining %i operations, %i of them remote tasks", (running, tasks, text) => {
  expect(eventText({ kind: "draining", running, tasks }, 0)).toMatch(text);
});

test("a ticket is three lines that hold no control character", () => {
  const url = `mks://h/vm-1?ticket=${"x".repeat(500)}`;
  expect(ticketText({ url, host: hostile, ticket: "a/b", validMs: 1 }).split("\n")).toEqual([
    "host:   a\\u001b[31m\\n\\u202eb",
    "ticket: a/b",
    `url:    ${url}`,
  ]);
});
