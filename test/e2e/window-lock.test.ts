/** An apply that waits for its window keeps recorded state to itself, and whoever meets it is told. */

import { afterEach, expect, test } from "vitest";
import type { Clock } from "../../src/model/clock.ts";
import { runInside } from "../helpers/program.ts";
import { createPlace, type Place } from "./place.ts";

let place: Place;
afterEach(() => place.remove());

test("whoever meets the lock of an apply that waits is told what it is held for", async () => {
  place = await createPlace({ world: { daemon: { durations_ms: { create: 2 } } } });
  const nights =
    "policies: { nights: { over: operations, level: deny, message: not by day, time_zone: UTC,\n" +
    '  window: [{ from: "22:00", to: "23:00" }] } }';
  place.write("  daemon_vm.a: { id: a }", nights);
  let now = Date.UTC(2026, 2, 2, 12);
  const clock: Clock = {
    now: () => now,
    sleep: () => new Promise((resolve) => setTimeout(resolve, 5)),
  };
  const words = ["apply", "--auto-approve", "--window", "wait"];
  let waits = (): void => {};
  const waiting = new Promise<void>((resolve) => {
    waits = resolve;
  });
  const first = runInside(place.folder, words, {
    clock,
    onWrite: (text) => {
      if (text.includes("it may begin on")) waits();
    },
  });
  await Promise.race([waiting, first]);
  const second = await place.run(1, "apply", "--auto-approve");
  expect(second.stderr).toContain("apply --window wait");
  expect(place.simulators.world().daemon.vms).toEqual([]);
  now = Date.UTC(2026, 2, 2, 22, 30);
  expect(await first).toMatchObject({ code: 0, stderr: "" });
  expect(place.simulators.world().daemon.vms.map(({ id }) => id)).toEqual(["a"]);
});
