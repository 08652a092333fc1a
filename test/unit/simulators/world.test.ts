/** World files: what they may say, and how they are refused. */

import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { SimulatorInputError } from "../../../src/simulators/kit/document.ts";
import type { WorldDocument } from "../../../src/simulators/world.ts";
import { readWorldSource } from "../../../src/simulators/world.ts";
import { call, powerText, simulate } from "./simulation.ts";

const sample = fileURLToPath(new URL("./sample-world.yaml", import.meta.url));

test("the sample world holds what it says", async () => {
  const simulators = await simulate({ world: sample });
  expect(simulators.world()).toMatchObject({
    formatVersion: 1,
    seed: 7,
    daemon: { rules: { host_paths: ["/srv/src", "/srv/data"] }, durations: { clone: 50 } },
  });
  expect((await call(simulators, "GET /api/vms")).text).toBe('["template","web","bare","plain"]');
  expect(await powerText(simulators, "template")).toBe("powered off");
  expect(await powerText(simulators, "bare")).toBe("suspended");
  expect((await call(simulators, "GET /api/vms/web")).text).toBe(
    '{"id":"web","name":"web","tag":""}',
  );
  expect((await call(simulators, "GET /api/vms/web/ipaddress")).text).toContain("192.168.10.20");
  expect((await call(simulators, "GET /api/vms/web/folders")).text).toBe('["src","data"]');
  expect((await call(simulators, "GET /api/vms/web/folders/data")).text).toContain('"flags":0');
});

test("an empty world, and one that says nothing of the daemon", () => {
  for (const world of [{}, { daemon: {} }, { daemon: { vms: {} } }]) {
    expect(readWorldSource(world, undefined)).toMatchObject({ seed: 1, daemon: { vms: [] } });
  }
});

test("problems are collected with their places", () => {
  // Cast-free bad input: the wider type is what a JavaScript caller could pass.
  const bad: object = {
    seeds: 1,
    daemon: {
      durations_ms: { clone: -1, boot: 5 },
      rules: { on_when_on: 404, host_paths: "x" },
      vms: {
        "a/b": {},
        web: { power: "up", powers: "on", folders: { "": { writable: "yes" } } },
        db: [],
      },
    },
  };
  expect(problemsOf(bad as WorldDocument)).toEqual([
    'world.seeds: unknown key "seeds"; known here: seed, daemon, cloud, manager, appliance',
    expect.stringMatching(/^world\.daemon\.durations_ms\.boot: unknown key "boot"/),
    "world.daemon.durations_ms.clone: a whole number of at least 0 is expected, not -1",
    "world.daemon.rules.on_when_on: one of 200, 500 is expected, not 404",
    'world.daemon.rules.host_paths: a list is expected, not "x"',
    "world.daemon.vms.a/b: must be a name without slashes, other than . and ..",
    expect.stringMatching(/^world\.daemon\.vms\.web\.powers: unknown key "powers"/),
    'world.daemon.vms.web.power: one of on, off, suspended, paused is expected, not "up"',
    "world.daemon.vms.web.folders.: must be a name without slashes",
    "world.daemon.vms.web.folders..host_path: text is expected, it is missing",
    'world.daemon.vms.web.folders..writable: true or false is expected, not "yes"',
    "world.daemon.vms.db: a map is expected, not a list",
  ]);
});

test("a world file that is not there", () => {
  expect(problemsOf("/nowhere/world.yaml")).toEqual([
    expect.stringMatching(/^\/nowhere\/world\.yaml: ENOENT/),
  ]);
});

function problemsOf(source: string | WorldDocument): readonly string[] {
  try {
    readWorldSource(source, undefined);
  } catch (error) {
    if (error instanceof SimulatorInputError) return error.problems;
    throw error;
  }
  return [];
}
