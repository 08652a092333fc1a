/** `vmform state mv`: what moves, and what is refused without anything being written. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandError } from "../../../../src/commands/environment.ts";
import { moveObjects } from "../../../../src/commands/state/state-move.ts";
import { foldAll } from "../../../../src/state/fold.ts";
import { verifyState } from "../../../../src/state/integrity.ts";
import {
  address,
  beginEntry,
  recordedObject,
  recordedState,
} from "../../../helpers/recorded-builder.ts";
import { workplace } from "../command-line.ts";

const state = recordedState(
  [
    recordedObject("daemon_shared_folder.src", {
      type: "daemon_shared_folder",
      identity: "web/src",
      dependencies: [address('daemon_vm.web["a"]')],
    }),
    recordedObject("daemon_vm.db", { identity: "db" }),
    recordedObject("daemon_vm.one", { identity: "one" }),
    recordedObject("daemon_vm.one", { identity: "one-old", objectKey: "deposed-1" }),
    recordedObject('daemon_vm.web["a"]', { identity: "web-a" }),
    recordedObject('daemon_vm.web["b"]', { identity: "web-b" }),
  ],
  { restores: [{ address: address("daemon_vm.one"), power: "on" }] },
);
const move = (from: string, to: string) => ({ from: address(from), to: address(to) });

test.each([
  ["daemon_vm.db", "daemon_vm.database", ["daemon_vm.db daemon_vm.database"]],
  ["daemon_vm.db", 'daemon_vm.web["c"]', ['daemon_vm.db daemon_vm.web["c"]']],
  ["daemon_vm.one", "daemon_vm.first", ["daemon_vm.one daemon_vm.first"]],
  [
    "daemon_vm.web",
    "daemon_vm.app",
    ['daemon_vm.web["a"] daemon_vm.app["a"]', 'daemon_vm.web["b"] daemon_vm.app["b"]'],
  ],
])("%s to %s", (from, to, expected) => {
  const { entries, value } = moveObjects(state, move(from, to));
  expect(value.map((one) => `${one.from} ${one.to}`)).toEqual(expected);
  const after = foldAll(state, entries);
  expect(verifyState(after)).toEqual([]);
  expect(after.objects).toHaveLength(state.objects.length);
  const identities = (all: typeof state) => all.objects.map(({ identity }) => identity).toSorted();
  expect(identities(after)).toEqual(identities(state));
  const left = after.objects.flatMap((object) => [object.address, ...object.dependencies]);
  const owed = after.restores.map((restore) => restore.address);
  for (const one of value) expect([...left, ...owed]).not.toContain(one.from);
});

describe("refused", () => {
  test.each([
    ["daemon_vm.db", "daemon_vm.one", /both addresses/],
    ["daemon_vm.web", 'daemon_vm.new["x"]', /several instances/],
    ["daemon_vm.nothing", "daemon_vm.new", /Nothing is recorded at daemon_vm.nothing/],
    ["daemon_vm.db", "daemon_shared_folder.db", /different types/],
    ["daemon_vm.db", "daemon_vm.db", /already/],
  ])("%s to %s", (from, to, why) => {
    expect(() => moveObjects(state, move(from, to))).toThrow(CommandError);
    expect(() => moveObjects(state, move(from, to))).toThrow(why);
  });

  test("an object with an open operation, and one that such an operation depends on", () => {
    const open = beginEntry({
      subject: { address: address("daemon_vm.one") },
      record: { dependencies: [address("daemon_vm.db")] },
    });
    const busy = { ...state, open: [open] };
    for (const from of ["daemon_vm.one", "daemon_vm.db"]) {
      expect(() => moveObjects(busy, move(from, "daemon_vm.new"))).toThrow(/interrupted run/);
    }
    expect(moveObjects(busy, move("daemon_vm.web", "daemon_vm.app")).value).toHaveLength(2);
  });
});

test("on the command line it is one more run, and the next plan follows", async () => {
  const place = await workplace({ daemon: { vms: {} } });
  const configuration = (name: string): string =>
    `providers: { daemon: { url: DAEMON } }\nresources: { noop_resource.${name}: { name: x } }\n`;
  place.write({ "main.vmform.yaml": configuration("old") });
  await place.run("apply", "--auto-approve");
  const read = (): string => {
    const files = ["state/default.json"].map((name) => join(place.folder, name));
    return files.map((file) => readFileSync(file, "utf8")).join("");
  };
  const before = read();
  const refused = await place.run("state", "mv", "noop_resource.gone", "noop_resource.new");
  expect(refused).toMatchObject({ code: 1 });
  expect(read()).toBe(before);
  const moved = await place.run("state", "mv", "noop_resource.old", "noop_resource.new");
  expect(moved).toMatchObject({
    code: 0,
    stdout: "Moved noop_resource.old to noop_resource.new.\n",
  });
  place.write({ "main.vmform.yaml": configuration("new") });
  expect((await place.run("plan")).stdout).toContain("No changes.");
  const data = await place.json("state", "mv", "noop_resource.new", "noop_resource.last");
  expect(data).toEqual({
    format_version: "1.0",
    moved: [{ from: "noop_resource.new", to: "noop_resource.last" }],
  });
  const usage = await place.run("state", "mv", "nonsense", "noop_resource.new");
  expect(usage.stderr).toContain("is not an address");
});
