/** The resize over real HTTP: its three forms, what replies prove, and replies that never come. */

import { afterEach, describe, expect, test } from "vitest";
import { RemoteError } from "../../../../../src/model/operation/remote-error.ts";
import { replyDeadlineMs } from "../../../../../src/providers/appliance/storage/send.ts";
import {
  type Answered,
  type ApplianceScript,
  apiError,
  json,
  resizeOperation,
  restError,
  type ScriptedAppliance,
  startAppliance,
} from "../scripted-appliance.ts";

let appliance: ScriptedAppliance;
afterEach(() => appliance.close());

const paths = {
  "6.5": "/rest/appliance/system/storage/resize",
  "6.7": "/rest/appliance/system/storage?action=resize-ex",
  "7.0": "/api/appliance/system/storage?action=resize-ex",
} as const;
type Release = keyof typeof paths;
const forever = Number.MAX_SAFE_INTEGER;

type Sending = {
  readonly release?: Release;
  readonly goals?: { readonly [partition: string]: number };
  readonly deadlineMs?: number;
};

async function send(script: ApplianceScript, { release = "6.5", goals = {}, deadlineMs }: Sending) {
  appliance = await startAppliance({ release, ...script });
  return appliance.session.send(resizeOperation(release, goals), deadlineMs ?? forever);
}

async function failure(work: Promise<unknown>): Promise<RemoteError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof RemoteError) return error;
  throw new Error(`no RemoteError but ${String(error)}`);
}

const answering =
  (answer: Answered): NonNullable<ApplianceScript["handle"]> =>
  ({ url }) =>
    url.includes("resize") ? answer : undefined;

test.each([
  ["6.5", {}],
  ["6.7", { message: "grown: core to 49.99 GB, log" }],
  ["7.0", { message: "grown: core to 49.99 GB, log" }],
] as const)("the form of release %s", async (release, result) => {
  const grown = { core: 49.99, log: 20 };
  expect(await send({ grown }, { release, goals: { core: 46.9 } })).toEqual(result);
  const sent = appliance.server.seen.filter(({ url }) => url.includes("resize"));
  expect(sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({ method: "POST", url: paths[release], body: "" });
  expect(sent[0]?.headers).toMatchObject({ "content-type": "application/json" });
  expect(appliance.ports.sent.filter((one) => one.class === "mutate")).toHaveLength(1);
});

test.each<[string, Release, Answered, object]>([
  ["nothing", "6.5", { status: 200 }, {}],
  ["no content", "7.0", { status: 204 }, {}],
  ["an empty map", "6.5", json({}), {}],
  ["nothing grown", "6.7", json({ value: [] }), { message: expect.stringMatching(/no partition/) }],
  ["nothing grown", "7.0", json({}), {}],
])("answered with %s by release %s is a success", async (_, release, answer, result) => {
  expect(await send({ handle: answering(answer) }, { release, goals: { core: 46.9 } })).toEqual(
    result,
  );
});

test("a partition that grew less than wanted says so", async () => {
  const error = await failure(
    send({ grown: { core: 29.99 } }, { release: "6.7", goals: { core: 46.9, log: 18.7 } }),
  );
  expect(error).toMatchObject({ kind: "precondition", effect: "none" });
  expect(error.message).toContain("grew core to 29.99 GB only, not to 46.9 GB");
});

describe("refused", () => {
  test.each<[Release, Answered, string, string]>([
    ["6.5", restError(400, "error", "Resize failed."), "protocol", "none"],
    ["7.0", apiError(500, "ERROR", "Resize failed."), "protocol", "none"],
    ["6.5", restError(403, "unauthorized"), "forbidden", "none"],
    ["6.7", restError(404, "not_found"), "not-found", "none"],
    ["6.5", restError(404, "operation_not_found"), "not-found", "none"],
    ["6.5", restError(400, "resource_busy"), "busy", "none"],
    ["7.0", apiError(503, "SERVICE_UNAVAILABLE"), "unavailable", "none"],
    ["6.5", restError(400, "not_allowed_in_current_state"), "precondition", "none"],
    ["6.5", restError(400, "concurrent_change"), "busy", "none"],
    // The work may go on, or be half done.
    ["6.5", restError(504, "timed_out"), "timeout", "unknown"],
    ["6.5", restError(500, "internal_server_error"), "protocol", "unknown"],
    ["7.0", apiError(500, "SOMETHING_NEW"), "protocol", "unknown"],
    ["6.5", restError(400, "something_new"), "invalid", "none"],
    // Not the appliance's own words.
    ["6.5", { status: 502, body: "<html>Bad gateway</html>" }, "unavailable", "unknown"],
    ["6.5", { status: 500 }, "protocol", "unknown"],
    ["6.5", { status: 200, body: "<html>Sign in</html>" }, "protocol", "unknown"],
    ["6.5", { status: 202 }, "protocol", "unknown"],
    ["6.5", { ...restError(400, "error"), status: 200 }, "protocol", "none"],
    ["6.7", json({ value: [{ key: "core" }] }), "protocol", "unknown"],
    ["6.7", json({ value: "done" }), "protocol", "unknown"],
    ["7.0", json({ core: { new_size: "much" } }), "protocol", "unknown"],
  ])("by release %s with %j: %s, effect %s", async (release, answer, kind, effect) => {
    const work = send({ handle: answering(answer) }, { release, goals: { core: 46.9 } });
    const error = await failure(work);
    expect(error).toMatchObject({ kind, effect });
    // The next run must not send a second one while this one may run.
    const isHeld = error.attributes?.unanswered !== undefined;
    expect(isHeld).toBe(effect === "unknown");
    expect(appliance.server.seen.filter(({ url }) => url.includes("resize"))).toHaveLength(1);
  });

  test("in the appliance's own words, with the id of each", async () => {
    const answer = restError(400, "error", "Disk busy.");
    const { message } = await failure(send({ handle: answering(answer) }, {}));
    expect(message).toBe(
      "POST /rest/appliance/system/storage/resize: " +
        "the appliance answered 400 error: Disk busy. (id.error)",
    );
  });
});

test("an expired session is renewed, and the resize sent again, for it had no effect", async () => {
  const handle: ApplianceScript["handle"] = ({ url }, count) =>
    url.includes("resize") && count === 0 ? restError(401, "unauthenticated") : undefined;
  expect(await send({ handle }, {})).toEqual({});
  expect(appliance.asked()).toEqual([`POST ${paths["6.5"]}`, `POST ${paths["6.5"]}`]);
});

describe("without a reply", () => {
  test("the effect is unknown, and time is left for reading", async () => {
    appliance = await startAppliance({ handle: answering("hang") });
    const nowMs = appliance.ports.clock.now();
    const work = appliance.session.send(resizeOperation("6.5"), nowMs + 200);
    const error = await failure(work);
    expect(error).toMatchObject({ kind: "timeout", effect: "unknown" });
    expect(error.message).toContain("within 0.1 s");
  });

  test("of a connection that was cut the effect is unknown", async () => {
    const error = await failure(send({ handle: answering("reset") }, {}));
    expect(error).toMatchObject({ kind: "unavailable", effect: "unknown" });
  });

  test.each([
    [30, 20],
    [60, 50],
    [10, 5],
    [1, 0.5],
  ])("of %d minutes %d are for the reply", (minutes, forReply) => {
    expect(replyDeadlineMs(1000, 1000 + minutes * 60_000)).toBe(1000 + forReply * 60_000);
  });
});
