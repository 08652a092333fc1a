/** What stores on a server are given: whoever watches is told what they pause for. */

import { expect, test } from "vitest";
import { createSecretMask } from "../../../src/lib/mask.ts";
import type { EngineEvent } from "../../../src/model/operation/event.ts";
import { pausingClock } from "../../../src/wiring/stores/document-ports.ts";
import { plainSeal } from "../../helpers/seals.ts";
import { createTestClock } from "../store/local/fixtures.ts";

test("a pause is told while it lasts, and the time is that of the clock", async () => {
  const clock = createTestClock();
  const told: EngineEvent[] = [];
  const pausing = pausingClock(
    {
      ...{ clock, environment: {}, mask: createSecretMask(), random: () => "id", host: "a" },
      ...{ process: { pid: 1 }, user: "ann", version: "0.1.0", log: undefined },
      lateSealFor: () => Promise.resolve(plainSeal()),
      events: (event) => void told.push(event),
    },
    "https://git.example/state",
  );
  const beforeMs = pausing.now();
  await pausing.sleep(500);
  expect(pausing.now() - beforeMs).toBe(500);
  expect(told.map(({ kind }) => kind)).toEqual(["wait-started", "wait-ended"]);
  expect(told[0]).toMatchObject({ wait: { what: expect.stringContaining("git.example/state") } });
});
