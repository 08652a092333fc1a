/** Each numbered invariant, and that sound states have no problem. */

import { expect, test } from "vitest";
import type { RecordedObject, RecordedState } from "../../../src/model/recorded/recorded.ts";
import type { Address } from "../../../src/model/value/address.ts";
import { foldAll } from "../../../src/state/fold.ts";
import { verifyState } from "../../../src/state/integrity.ts";
import { withParts } from "../../helpers/parts.ts";
import { at, begin, emptyState, everyEntry, fullState, objectAt } from "./samples.ts";

const [web, app] = [objectAt("daemon_vm.web"), objectAt("daemon_vm.app")];
const folder = (name: string, changes: Partial<RecordedObject>): RecordedObject =>
  objectAt(`daemon_shared_folder.${name}`, { type: "daemon_shared_folder", ...changes });

function stateOf(...objects: readonly RecordedObject[]): RecordedState {
  return { ...emptyState, objects };
}

test.each<[string, RecordedState]>([
  ["the empty state", emptyState],
  ["a state with everything", fullState],
  ["every entry folded", foldAll(emptyState, everyEntry)],
  ["instances by number", stateOf(objectAt("daemon_vm.a[2]"), objectAt("daemon_vm.a[10]"))],
  ["an object being replaced", stateOf(web, { ...web, objectKey: "deposed-1", identity: "old" })],
  ["one identity, both objects of one address", stateOf(web, { ...web, objectKey: "deposed-1" })],
  [
    "one identity at two providers",
    stateOf({ ...app, identity: "x" }, { ...web, identity: "x", provider: "daemon.east" }),
  ],
  [
    "two identities that no server has given yet",
    stateOf({ ...app, identity: "" }, { ...web, identity: "" }),
  ],
  [
    "content of a container that is not recorded, and content of that",
    stateOf(
      folder("a", { identity: "a", container: { type: "daemon_vm", identity: "elsewhere" } }),
      folder("b", { identity: "b", container: { type: "daemon_shared_folder", identity: "a" } }),
    ),
  ],
  ["one operation id in two plans", { ...emptyState, open: [begin, { ...begin, planId: "2" }] }],
  [
    "a restore without an object",
    { ...emptyState, restores: [{ address: web.address, power: "on" }] },
  ],
])("sound: %s", (_, state) => {
  expect(verifyState(state)).toEqual([]);
});

const inside = (identity: string) => ({ type: "daemon_shared_folder", identity });

test.each<[number, string, RecordedState]>([
  [1, "not an address", stateOf(objectAt("daemon_vm.web", { address: "web" as Address }))],
  [1, "not canonical", stateOf({ ...web, address: 'daemon_vm.web["\\u0061"]' as Address })],
  [1, "a data source", stateOf({ ...web, address: at("data.daemon_vm.web") })],
  [1, "another type", stateOf({ ...web, type: "daemon_disk" })],
  [1, "of a dependency", stateOf({ ...web, dependencies: ["web" as Address] })],
  [1, "of a restore", { ...emptyState, restores: [{ address: "web" as Address, power: "on" }] }],
  [
    1,
    "of an open operation",
    {
      ...emptyState,
      open: [withParts(begin, { subject: { type: "daemon_disk" } })],
    },
  ],
  [2, "twice", stateOf(web, web)],
  [3, "addresses", stateOf(web, app)],
  [3, "as text, not by number", stateOf(objectAt("daemon_vm.a[10]"), objectAt("daemon_vm.a[2]"))],
  [3, "object keys", stateOf({ ...web, objectKey: "deposed-1", identity: "1" }, web)],
  [4, "neighbours", stateOf({ ...app, identity: "x" }, { ...web, identity: "x" })],
  [5, "no deadline", stateOf({ ...web, status: "tentative" })],
  [5, "a deadline", stateOf({ ...web, tentativeUntilMs: 5 })],
  [6, "in itself", stateOf(folder("a", { identity: "a", container: inside("a") }))],
  [
    6,
    "in its content",
    stateOf(
      folder("a", { identity: "a", container: inside("b") }),
      folder("b", { identity: "b", container: inside("a") }),
    ),
  ],
  [7, "twice", { ...emptyState, open: [begin, { ...begin, verb: "on" }] }],
  [
    8,
    "twice",
    {
      ...emptyState,
      restores: [
        { address: web.address, power: "on" },
        { address: web.address, power: "suspended" },
      ],
    },
  ],
  [
    8,
    "sorted",
    {
      ...emptyState,
      restores: [
        { address: web.address, power: "on" },
        { address: app.address, power: "on" },
      ],
    },
  ],
  [
    9,
    "twice",
    { ...emptyState, providers: ["a", "b", "a"].map((name) => ({ name, settings: {} })) },
  ],
  [9, "sorted", { ...emptyState, providers: ["b", "a"].map((name) => ({ name, settings: {} })) }],
  [
    10,
    "twice",
    {
      ...emptyState,
      outputs: [
        { name: "ip", value: 1, sensitive: false },
        { name: "ip", value: 1, sensitive: false },
      ],
    },
  ],
])("invariant %i: %s", (invariant, _, state) => {
  expect(verifyState(state).map((problem) => problem.invariant)).toEqual([invariant]);
});
