/** The clock of tests of configurations: it jumps when nothing else is left to do, and never before. */

import { expect, test } from "vitest";
import { createTestClock } from "../../../../src/wiring/testing/clock.ts";

const never = new AbortController().signal;

test("what is slept for comes in its order, and takes no time", async () => {
  const clock = createTestClock(1_000, () => 0);
  const heard: string[] = [];
  const sleep = async (name: string, ms: number): Promise<void> => {
    await clock.sleep(ms);
    heard.push(`${name} ${clock.now()}`);
  };
  const year = 365 * 86_400_000;
  await Promise.all([sleep("late", year), sleep("soon", 5), sleep("now", -3)]);
  expect(heard).toEqual(["now 1000", "soon 1005", `late ${year + 1_000}`]);
});

test("it stands still while a request is answered that does not wait itself", async () => {
  let inFlight = 1;
  const clock = createTestClock(0, () => inFlight);
  let woken = false;
  const sleep = async (): Promise<void> => {
    await clock.sleep(10);
    woken = true;
  };
  const sleeping = sleep();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(woken).toBe(false);
  expect(clock.now()).toBe(0);
  inFlight = 0;
  await sleeping;
  expect(clock.now()).toBe(10);
});

test("a request that waits for the clock does not hold it", async () => {
  const clock = createTestClock(0, () => 1);
  await Promise.all([clock.until(50, never), clock.sleep(20)]);
  expect(clock.now()).toBe(50);
  await clock.until(50, never);
});

test("what is given up waits no more", async () => {
  const clock = createTestClock(0, () => 0);
  const stop = new AbortController();
  const waiting = clock.until(1_000, stop.signal);
  void clock.sleep(500);
  stop.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
  clock.forget();
  await clock.sleep(1);
  expect(clock.now()).toBe(1);
  clock.advance(99);
  expect(clock.now()).toBe(100);
  await expect(clock.until(200, stop.signal)).rejects.toThrow("stopped");
});
