/**
 * The resize of an appliance in every way that its one long request can go wrong: what may have
 * taken effect is looked at and never sent again unread, only growth is success, and the next run
 * does what is left.
 */

import { afterEach, expect, test } from "vitest";
import { some } from "../helpers/amount.ts";
import {
  type AppliancePlace,
  type ApplianceRow,
  createAppliancePlace,
  meets,
  type Release,
  releases,
} from "./manager-faults-appliance-run.ts";

let place: AppliancePlace;
afterEach(() => place.remove());

const complete = /resize complete/;
const later: readonly Release[] = ["6.7", "7.0"];

const rows: readonly ApplianceRow[] = [
  {
    name: "that outlasts the reply's time is read again",
    options: { outlasts: true },
    faults: () => [],
    code: 0,
    says: [complete],
  },
  {
    name: "whose connection breaks in the middle goes on, and is read",
    faults: ({ resize }) => [{ ...resize, reset: "during" }],
    code: 0,
    says: [complete],
  },
  {
    name: "whose reply is lost is read",
    faults: ({ resize }) => [{ ...resize, reset: "after" }],
    code: 0,
    says: [complete],
  },
  {
    name: "whose reply never comes is read",
    only: ["7.0"],
    options: { outlasts: true },
    faults: ({ resize }) => [{ ...resize, hang: "after" }],
    code: 0,
    says: [complete],
  },
  {
    name: "that never arrived is left to the next run",
    only: ["6.5"],
    faults: ({ resize }) => [{ ...resize, reset: "before" }],
    code: 1,
    says: [/resize failed/],
    left: 1,
    mayRun: true,
  },
  {
    name: "that never arrived, and whose connection stays, is left to the next run",
    only: ["6.7"],
    options: { outlasts: true },
    faults: ({ resize }) => [{ ...resize, hang: "before" }],
    code: 1,
    says: [/resize failed/],
    left: 1,
    mayRun: true,
  },
  {
    name: "answered by a page of somebody in between, after its effect, is read",
    faults: ({ resize }) => [{ ...resize, foreign: { effect: true } }],
    code: 0,
    says: [complete],
  },
  {
    name: "answered by a page of somebody in between, without effect, is no success",
    only: ["6.5", "7.0"],
    faults: ({ resize }) => [{ ...resize, foreign: {} }],
    code: 1,
    says: [/resize failed.*an HTML page/],
    left: 1,
    mayRun: true,
  },
  {
    name: "answered by a gateway that gave up is read",
    faults: ({ resize }) => [{ ...resize, foreign: { status: 504, effect: true } }],
    code: 0,
    says: [complete],
  },
  {
    name: "answered by nothing, after its effect, is read",
    faults: ({ resize }) => [{ ...resize, reply: { status: 200, body: "", effect: true } }],
    code: 0,
    says: [complete],
  },
  {
    name: "whose reply is cut short is read",
    only: later,
    faults: ({ resize }) => [{ ...resize, cut: 20 }],
    code: 0,
    says: [complete],
  },
  {
    name: "that succeeds while nothing grows is no success",
    only: ["6.5", "7.0"],
    faults: ({ resize }) => [{ ...resize, task: { effect: false } }],
    code: 1,
    says: [/filesystems_gb of log is 9\.95, which is less than 23\.4; is VMDK5 \(log\) as large/],
    left: 1,
  },
  {
    name: "that is refused is told in the appliance's words",
    faults: ({ resize }) => [
      { ...resize, refusal: { status: 500, message: "No volume group.", minor_code: "error" } },
    ],
    code: 1,
    says: [/resize failed.*500 error: No volume group\. \(simulated\.error\)/],
    left: 1,
  },
  {
    name: "that fails for a reason within is read before it is called failed",
    faults: ({ resize }) => [
      {
        ...resize,
        reply: {
          status: 500,
          headers: { "content-type": "application/json" },
          body: JSON.stringify({
            type: "com.vmware.vapi.std.errors.internal_server_error",
            value: { messages: [] },
          }),
          effect: true,
        },
      },
    ],
    code: 0,
    says: [complete],
  },
  {
    name: "that fails at its end is told so",
    faults: ({ resize }) => [{ ...resize, task: { end: "error", message: "resize2fs: 1" } }],
    code: 1,
    says: [/resize failed.*resize2fs: 1/],
    left: 1,
  },
  {
    name: "while another one runs waits for it",
    faults: ({ resize }) => [
      { ...resize, change: { start_appliance_resize: { duration_ms: 3_000 } } },
    ],
    code: 0,
    says: [complete, /resource_busy/],
    sent: "several",
  },
  {
    name: "that is answered with unavailable is sent again",
    only: ["6.5", "7.0"],
    faults: ({ resize }) => [
      { ...resize, refusal: { status: 503, minor_code: "service_unavailable" } },
    ],
    code: 0,
    says: [complete],
    sent: 2,
  },
  {
    name: "that finds its session ended logs in again",
    faults: ({ resize }) => [{ ...resize, change: { end_appliance_sessions: {} } }],
    code: 0,
    says: [complete],
    sent: 2,
  },
  {
    name: "whose sizes cannot be read at first is read again",
    faults: ({ sizes }) => [
      { ...sizes, nth: 2, times: 3, foreign: { status: 502 } },
      { ...sizes, nth: 5, change: { end_appliance_sessions: {} } },
    ],
    code: 0,
    says: [complete],
  },
  {
    name: "whose session cannot be ended is as good",
    only: ["6.5", "7.0"],
    faults: ({ logout }) => [{ ...logout, refusal: { status: 500 } }],
    excuse: "session",
    code: 0,
    says: [complete],
  },
];

const cases = rows.flatMap((row) =>
  (row.only ?? releases).map((release) => ({ release, row, name: row.name })),
);

test.each(some(cases, 1))("release $release: a resize $name", async ({ release, row }) => {
  place = await createAppliancePlace(release, row.options);
  if (row.excuse !== undefined) place.excuse(row.excuse);
  await meets(place, row);
  expect(place.partition("log")).toBe(25);
});
