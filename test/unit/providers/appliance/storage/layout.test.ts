/** Names of partitions and disks: what each means, and what somebody may have meant. */

import { describe, expect, test } from "vitest";
import {
  canonicalKey,
  type Disks,
  describeDisks,
  layout65,
  locate,
  purposeOf,
} from "../../../../../src/providers/appliance/storage/layout.ts";

test("the layout of release 6.5 has twelve disks, of which one has no filesystem", () => {
  expect([...layout65.keys()]).toEqual(Array.from({ length: 12 }, (_, index) => `${index + 1}`));
  const empty = [...layout65].filter(([, partitions]) => partitions.length === 0);
  expect(empty.map(([disk]) => disk)).toEqual(["2"]);
});

test.each([
  ["core", "core"],
  ["/storage/log", "log"],
  ["/", "root"],
  ["lv_root_0", "root"],
  ["LV_LOG_0", "log"],
  ["coredump", "core"],
  ["vcdb_seat", "seat"],
  ["vcdb_transaction_log", "dblog"],
  ["lifecycle", "lifecycle"],
  [" seat ", "seat"],
])("%j serves as %s", (partition, purpose) => {
  expect(purposeOf(partition)).toBe(purpose);
});

test.each([
  ["8", "8"],
  ["vmdk8", "8"],
  ["VMDK12", "12"],
  ["vmdk0", "vmdk0"],
  ["08", "08"],
  ["core", "core"],
  ["123", "123"],
])("%s is compared as %s", (key, canonical) => {
  expect(canonicalKey(key)).toBe(canonical);
});

describe("with the disks of release 6.5", () => {
  test.each([
    ["core", { disk: "4", partitions: ["core"] }],
    ["vmdk8", { disk: "8", partitions: ["seat"] }],
    ["1", { disk: "1", partitions: ["root", "boot"] }],
    ["boot", { disk: "1", partitions: ["root", "boot"] }],
    ["2", { kind: "no-filesystem" }],
    ["package_store", { kind: "no-filesystem" }],
    ["packages", { kind: "no-filesystem" }],
    ["13", { kind: "unknown" }],
    ["0", { kind: "unknown" }],
    ["cores", { kind: "unknown", meant: "core" }],
    ["Core", { kind: "unknown", meant: "core" }],
    ["coredump", { kind: "unknown", meant: "core" }],
    ["stats, events and tasks", { kind: "unknown", meant: "seat" }],
    ["update manager", { kind: "unknown", meant: "updatemgr" }],
    ["/storage/db", { kind: "unknown", meant: "db" }],
    ["database log", { kind: "unknown", meant: "dblog" }],
    ["imagebuidler", { kind: "unknown", meant: "imagebuilder" }],
    ["lifecycle", { kind: "unknown" }],
    ["constructor", { kind: "unknown" }],
  ])("%j is %j", (key, result) => {
    expect(locate(key, layout65)).toEqual(result);
  });
});

test("an appliance's own list decides, and leaves out a disk without partitions", () => {
  const disks: Disks = new Map([
    ["1", ["root"]],
    ["13", ["archive", "lifecycle"]],
  ]);
  expect(locate("lifecycle", disks)).toEqual({ disk: "13", partitions: ["archive", "lifecycle"] });
  expect(locate("13", disks)).toEqual({ disk: "13", partitions: ["archive", "lifecycle"] });
  expect(locate("4", disks)).toEqual({ kind: "unknown" });
  expect(locate("2", disks)).toEqual({ kind: "no-filesystem" });
  expect(locate("core", disks)).toEqual({ kind: "unknown" });
  expect(describeDisks(disks)).toBe("1 (root), 13 (archive, lifecycle)");
});
