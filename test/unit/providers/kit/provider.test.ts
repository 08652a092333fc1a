/** Parts that join a session: who answers, in which order, and what a session does not offer. */

import { expect, test } from "vitest";
import type { FactsRequest } from "../../../../src/model/provider/provider.ts";
import type { Address } from "../../../../src/model/value/address.ts";
import { folderType } from "../../../../src/providers/daemon/shared-folder.ts";
import { vmType } from "../../../../src/providers/daemon/vm.ts";
import type { Part } from "../../../../src/providers/kit/part.ts";
import { type Opened, providerOf } from "../../../../src/providers/kit/provider.ts";
import { missing } from "../../../../src/providers/kit/reading.ts";
import { refusal } from "../../../../src/providers/kit/refusal.ts";
import { providerPorts, testPorts } from "../../../helpers/http-ports.ts";
import { operation } from "../daemon/daemon-server.ts";

const vms: Part<string> = {
  types: [vmType],
  data: { daemon_vms: async (ports, query) => ({ ports, ...query }) },
  read: async (ports, wanted) => wanted.map(({ identity }) => missing(`${ports} ${identity}`)),
  send: async (_ports, _operation, deadlineMs) => ({ message: String(deadlineMs) }),
};
const folders: Part<string> = {
  types: [folderType],
  read: () => Promise.reject(refusal("unavailable", "no answer")),
  facts: async (_ports, requests) => requests.map(() => ({ status: "failed", reason: "none" })),
};

async function session(more: Partial<Opened<string>> = {}, parts = [vms, folders]) {
  const own = { close: async () => {} };
  const open = async () => "open";
  const offer = { types: parts.flatMap(({ types }) => types), data: [] };
  const sessions = { parts, open: async () => ({ open, own, ...more }) };
  const provider = providerOf("daemon", offer, async () => sessions);
  return provider.create(providerPorts(testPorts())).open({});
}

const asked = (type: string, identity: string) => ({
  ...{ address: `${type}.${identity}` as Address, type, identity },
  attributes: [],
});

test("each part answers for its own, in the order of the questions; one hides no other", async () => {
  const joined = await session();
  const [a, f, b] = ["a", "f", "b"].map((id) =>
    asked(id === "f" ? "daemon_shared_folder" : "daemon_vm", id),
  );
  expect(await joined.read([a, f, b].filter((each) => each !== undefined))).toEqual([
    missing("open a"),
    { status: "unreadable", rule: "failed", reason: "no answer" },
    missing("open b"),
  ]);
  expect(await joined.read([])).toEqual([]);
});

test("a part without facts knows none, which is no failure", async () => {
  const joined = await session();
  const request = (type: string): FactsRequest => ({
    ...asked(type, "x"),
    ...{ provider: "daemon", action: "update", wanted: {}, changed: [], prior: {} },
  });
  expect(await joined.facts?.([request("daemon_shared_folder"), request("daemon_vm")])).toEqual([
    { status: "failed", reason: "none" },
    { status: "read", facts: {} },
  ]);
});

test("what no part has is not offered", async () => {
  const bare = await session({}, [vms]);
  expect(Object.keys(bare).toSorted()).toEqual(["close", "list", "read", "readData", "send"]);
  await expect(bare.list?.("daemon_vm")).rejects.toThrow("type daemon_vm cannot be listed");
  expect(await bare.readData?.("daemon_vms", { tags: null })).toEqual({
    ports: "open",
    tags: null,
  });
  await expect(bare.readData?.("cloud_vm", {})).rejects.toThrow("no data source cloud_vm");
});

test("a change is told before and after it, also one that fails", async () => {
  let told = 0;
  const onChange = () => void (told += 1);
  const own = { close: async () => {}, cancel: () => Promise.reject(refusal("busy", "not now")) };
  const joined = await session({ onChange, own });
  await joined.send(operation("delete", "a"), 5);
  expect(told).toBe(2);
  await expect(joined.cancel?.("handle")).rejects.toThrow("not now");
  expect(told).toBe(4);
});
