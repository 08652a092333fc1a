/** Which hosts an inventory has, how they are called, and what is told of them. */

import { expect, test } from "vitest";
import type { RecordedObject } from "../../../../src/model/recorded/recorded.ts";
import { typeRegistry } from "../../../../src/providers/registry.ts";
import { inventoryJson, inventoryOf } from "../../../../src/render/state/inventory.ts";
import { recordedObject, recordedState } from "../../../helpers/recorded-builder.ts";

const listOf = (...objects: readonly RecordedObject[]) =>
  inventoryJson(inventoryOf(recordedState(objects), typeRegistry()));
const vm = (text: string, attributes: RecordedObject["attributes"], type = "daemon_vm") =>
  recordedObject(text, { type, provider: type.split("_")[0] ?? "", attributes });

test("a VM is a host, reached at the address of its guest; a disk is none", () => {
  const disk = vm("manager_disk.data", { name: "data" }, "manager_disk");
  const list = listOf(vm("daemon_vm.web", { name: "web", ip_address: "10.0.0.7" }), disk);
  expect(list).toMatchObject({
    _meta: { hostvars: { web: { ansible_host: "10.0.0.7", vmform_address: "daemon_vm.web" } } },
    type_daemon_vm: { hosts: ["web"] },
  });
  expect(Object.keys(list)).not.toContain("type_manager_disk");
});

test("two VMs of one name are called after their addresses, as are names of patterns", () => {
  const list = listOf(
    vm("daemon_vm.a", { name: "web" }),
    vm("cloud_vm.b", { name: "web" }, "cloud_vm"),
    vm("daemon_vm.c", { name: "db[0]" }),
    vm("daemon_vm.d", { name: "" }),
  );
  expect(Object.keys((list["_meta"] as { hostvars: object }).hostvars).toSorted()).toEqual([
    "cloud_vm.b",
    "d",
    "daemon_vm.a",
    "daemon_vm.c",
  ]);
});

test("what is still to be deleted, or was never seen, is no host", () => {
  const gone = recordedObject("daemon_vm.web", { objectKey: "deposed-1" });
  const tentative = recordedObject("daemon_vm.new", { status: "tentative", tentativeUntilMs: 0 });
  expect(listOf(gone, tentative)).toEqual({
    _meta: { hostvars: {} },
    all: { children: ["ungrouped"] },
  });
});

test("groups are by tag, power, vApp and module, in words that Ansible takes", () => {
  const inner = vm("module.lab.daemon_vm.x", { name: "x", tag: "a.b", power_state: "on" });
  const shop = vm("cloud_vm.y", { name: "y", vapp_name: "shop floor" }, "cloud_vm");
  expect(Object.keys(listOf(inner, shop)).toSorted()).toEqual([
    "_meta",
    "all",
    "module_lab",
    "power_on",
    "provider_cloud",
    "provider_daemon",
    "tag_a_b",
    "type_cloud_vm",
    "type_daemon_vm",
    "vapp_shop_floor",
  ]);
});

test("what no schema knows, and may be secret, is not told", () => {
  const list = listOf(vm("daemon_vm.web", { name: "web", password: "s3cret" }));
  expect(JSON.stringify(list)).not.toContain("s3cret");
});

const hostsOf = (list: ReturnType<typeof listOf>) =>
  (list["_meta"] as { hostvars: { [name: string]: { [name: string]: unknown } } }).hostvars;

test("what a guest or a server tells is never a template, nor an option of ssh", () => {
  const run = "{{ lookup('pipe', 'id') }}";
  const list = listOf(
    vm("daemon_vm.web", { name: run, id: "web", tag: ["{% x %}", { a: "#jinja2:x" }, "100 %"] }),
    vm("daemon_vm.app", { name: "app", ip_address: "-oProxyCommand=id" }),
  );
  expect(hostsOf(list)["daemon_vm.web"]?.["vmform_attributes"]).toMatchObject({
    name: { __ansible_unsafe: run },
    tag: [{ __ansible_unsafe: "{% x %}" }, { a: { __ansible_unsafe: "#jinja2:x" } }, "100 %"],
  });
  expect(hostsOf(list)["app"]).not.toHaveProperty("ansible_host");
});

test.each(["localhost", "all", "power_on", "daemon_vm.other"])(
  "a VM called %s is called after its address: the name means something else",
  (name) => {
    const list = listOf(
      vm("daemon_vm.web", { name, power_state: "on" }),
      vm("daemon_vm.other", { name: "a b" }),
    );
    expect(Object.keys(hostsOf(list)).toSorted()).toEqual(["daemon_vm.other", "daemon_vm.web"]);
  },
);
