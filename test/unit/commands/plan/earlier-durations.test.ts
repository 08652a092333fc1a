/** The file of durations never stands in the way of a run. */

import { expect, test } from "vitest";
import {
  earlierDurations,
  hearDurations,
  keepDurations,
} from "../../../../src/commands/plan/earlier-durations.ts";
import type { EngineEvent } from "../../../../src/model/operation/event.ts";
import type { StoreSettings } from "../../../../src/model/recorded/store-settings.ts";
import { buildOperation, buildPlan } from "../../../helpers/plan-builder.ts";
import { address } from "../../../helpers/recorded-builder.ts";

const state: StoreSettings = { kind: "local", path: "/s/default.json", beside: "/s/default.json" };
const samples = [{ kind: "daemon daemon_vm create", ms: 4000 }];

function files(contents: string | undefined) {
  const written = new Map<string, string>();
  return {
    written,
    durationFiles: {
      readFile: async () => {
        const text = written.get("/s/default.json.durations") ?? contents;
        if (text === undefined) throw new Error("ENOENT");
        return Buffer.from(text);
      },
      writeFile: async (path: string, text: string) => void written.set(path, text),
    },
  };
}

test.each([undefined, "", "{", "null", "[1]", '{"format":"vmform durations 1","kinds":[]}'])(
  "%j is nothing known, and is written anew",
  async (contents) => {
    const environment = files(contents);
    expect(await earlierDurations(environment, state)).toEqual(new Map());
    await keepDurations(environment, state, samples);
    expect(await earlierDurations(environment, state)).toEqual(
      new Map([["daemon daemon_vm create", [4000]]]),
    );
  },
);

test("what cannot be written is not said, and in a test nothing is kept", async () => {
  const { durationFiles } = files(undefined);
  const writeFile = () => Promise.reject(new Error("EROFS"));
  await keepDurations({ durationFiles: { ...durationFiles, writeFile } }, state, samples);
  await keepDurations({}, state, samples);
  expect(await earlierDurations({}, state)).toEqual(new Map());
});

test("what succeeded is heard, and all is passed on", () => {
  const [create, on] = [
    buildOperation("daemon_vm.a", "create", {}),
    buildOperation("daemon_vm.a", "on", {}),
  ];
  const passed: EngineEvent[] = [];
  const plan = buildPlan({ operations: [create, on] });
  const hearing = hearDurations(plan, (event) => void passed.push(event));
  const ended = { kind: "operation-ended", address: address("daemon_vm.a") } as const;
  hearing.events({ ...ended, id: create.id, outcome: "success", elapsedMs: 1500 });
  hearing.events({ ...ended, id: on.id, outcome: "failed", elapsedMs: 9 });
  hearing.events({ ...ended, id: "else", outcome: "success", elapsedMs: 9 });
  expect(hearing.samples()).toEqual([{ kind: "daemon daemon_vm create", ms: 1500 }]);
  expect(passed).toHaveLength(3);
});
