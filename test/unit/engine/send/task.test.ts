/** Following a remote task. */

import { expect, test } from "vitest";
import {
  type FollowedTask,
  followTask,
  locateAtLast,
  taskAbsenceMs,
} from "../../../../src/engine/send/task.ts";
import { RemoteError } from "../../../../src/model/operation/remote-error.ts";
import type { TaskStatus } from "../../../../src/model/provider/provider.ts";
import { beginEntry } from "../../../helpers/recorded-builder.ts";
import { createVirtualClock } from "../../../simulation/virtual-clock.ts";
import { session, startMs, unavailable } from "../engine-world.ts";

const running = (word: string): TaskStatus => ({ status: "running", word });
const success = { status: "success" } as const;
const aborted = { status: "failed", message: "aborted" } as const;
const vanished = { status: "vanished" } as const;

test.each<[string, readonly (TaskStatus | RemoteError)[], FollowedTask, number]>([
  ["success at once", [success], success, 0],
  ["success after a while", [running("queued"), running("running"), success], success, 600],
  ["a word that nobody knows is no end", [running("meditating"), success], success, 200],
  ["a poll that fails says nothing of the task", [unavailable, unavailable, success], success, 600],
  ["failed", [running("running"), aborted], aborted, 200],
  ["vanished: the object decides", [running("running"), vanished], vanished, 200],
  [
    "too long: named by its last word",
    [running("running")],
    { status: "overdue", word: "running" },
    60_000,
  ],
])("%s", async (_, script, expected, elapsedMs) => {
  const clock = createVirtualClock(startMs);
  let polls = 0;
  const polling = session({
    poll: () => {
      const answer = script[Math.min(polls, script.length - 1)];
      polls += 1;
      if (answer === undefined) throw new Error("nothing to answer");
      return answer instanceof RemoteError ? Promise.reject(answer) : Promise.resolve(answer);
    },
  });
  const following = followTask(polling, clock, "task-1", upTo(startMs + 60_000));
  expect(await clock.until(following)).toEqual(expected);
  expect(clock.now() - startMs).toBe(elapsedMs);
});

function upTo(untilMs: number) {
  return { untilMs, absenceMs: taskAbsenceMs };
}

test("pauses grow to five seconds and no further", async () => {
  const clock = createVirtualClock(startMs);
  const times: number[] = [];
  const polling = session({
    poll: () => {
      times.push(clock.now() - startMs);
      return Promise.resolve(running("running"));
    },
  });
  await clock.until(followTask(polling, clock, "task-1", upTo(startMs + 17_000)));
  expect(times).toEqual([0, 200, 600, 1_400, 3_000, 6_200, 11_200, 16_200, 17_000]);
});

test("an interface without tasks has lost this one", async () => {
  const clock = createVirtualClock(startMs);
  expect(await followTask(session({}), clock, "task-1", upTo(startMs))).toEqual(vanished);
});

const refused = new RemoteError({ kind: "unauthorized", effect: "none", message: "login refused" });

test("credentials that are refused again and again: the task is out of sight", async () => {
  const clock = createVirtualClock(startMs);
  const news: unknown[] = [];
  const polling = session({ poll: () => Promise.reject(refused) });
  const following = {
    ...upTo(startMs + 86_400_000),
    onNews: (one: unknown) => void news.push(one),
  };
  const followed = await clock.until(followTask(polling, clock, "task-1", following));
  expect(followed).toEqual({ status: "lost", message: "login refused" });
  expect(clock.now() - startMs).toBeLessThan(1_000);
  expect(news).toEqual([{ trouble: "login refused" }]);
});

test("an endpoint that is away for ten minutes: out of sight; for less, the task is followed on", async () => {
  const clock = createVirtualClock(startMs);
  const away = (untilMs: number) =>
    session({
      poll: () =>
        clock.now() < untilMs
          ? Promise.reject(unavailable)
          : Promise.resolve({ status: "success" }),
    });
  const long = followTask(away(startMs + 86_400_000), clock, "t", upTo(startMs + 86_400_000));
  expect(await clock.until(long)).toMatchObject({ status: "lost" });
  expect(clock.now() - startMs).toBeLessThan(taskAbsenceMs + 10_000);
  const beginMs = clock.now();
  const short = followTask(away(beginMs + 500_000), clock, "t", upTo(beginMs + 86_400_000));
  expect(await clock.until(short)).toEqual({ status: "success" });
});

const found = { status: "found", handle: "task-1" };
test.each<[string, boolean | RemoteError | undefined, string | undefined, object]>([
  ["nothing can be forsaken", undefined, "task-1", { status: "none" }],
  ["the login has ended, and there is no task", true, undefined, { status: "none" }],
  ["it has arrived just before the login ended", true, "task-1", found],
  ["it is not certain that the login has ended", false, undefined, { status: "unknown" }],
  ["the login could not be ended", unavailable, undefined, { status: "unknown" }],
])("a request without a task: %s", async (_, forsaken, handle, expected) => {
  const clock = createVirtualClock(startMs);
  const order: string[] = [];
  const forsake = () => {
    order.push("forsake");
    return forsaken instanceof RemoteError ? Promise.reject(forsaken) : Promise.resolve(forsaken);
  };
  const looking = session({
    ...(forsaken === undefined ? {} : { forsake: forsake as () => Promise<boolean> }),
    findTask: () => {
      order.push("find");
      return Promise.resolve(handle);
    },
  });
  const begin = beginEntry({ atMs: startMs - 5_000, proof: { requestLimitMs: 1_000 } });
  expect(await clock.until(locateAtLast({ clock }, looking, begin))).toEqual(expected);
  // What is looked for before the login has ended may still arrive.
  expect(order).toEqual(
    forsaken === undefined ? [] : forsaken === true ? ["forsake", "find"] : ["forsake"],
  );
  expect(clock.now()).toBe(startMs);
});
