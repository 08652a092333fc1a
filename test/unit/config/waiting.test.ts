/** Configurations whose instances, or ways to a provider, are known only by reading. */

import { expect, test } from "vitest";
import type { Configuration } from "../../../src/config/load.ts";
import type { PlannedAttributes } from "../../../src/model/value/value.ts";
import { amount, onlyInLongRun } from "../../helpers/amount.ts";
import { loadConfig, loadSound } from "../../helpers/load-config.ts";

type Known = { readonly [address: string]: PlannedAttributes };

function withKnown(configuration: Configuration, known: Known): Configuration {
  const read = configuration.withKnown?.((address) => known[address]);
  if (read?.value === undefined) throw new Error(JSON.stringify(read?.diagnostics));
  return read.value;
}

function addressesOf({ instances }: Configuration): readonly string[] {
  return instances.map(({ address }) => address);
}

const ids = { "data.daemon_vms.golden": { ids: ["a", "b"] } };

test("what waits, and all that needs it, is left out until it is known", () => {
  const first = loadSound(`
data: { daemon_vms.golden: {} }
locals: { images: "\${data.daemon_vms.golden.ids}", many: "\${daemon_vm.web.map(k, k)}" }
resources:
  daemon_vm.base: { id: base }
  daemon_vm.web: { for_each: "\${locals.images}", id: "web-\${each.key}" }
  daemon_vm.after: { id: after, depends_on: [daemon_vm.web] }
  daemon_vm.named: { id: "named-\${locals.many.join('-')}" }
outputs: { many: { value: "\${locals.many}" }, base: { value: "\${daemon_vm.base.id}" } }
`);
  expect(addressesOf(first)).toEqual(["daemon_vm.base"]);
  expect(first.outputs.map(({ name }) => name)).toEqual(["base"]);
  expect(first.waiting?.map(({ subject, setting }) => `${setting} of ${subject}`)).toEqual([
    "for_each of daemon_vm.web",
  ]);
  expect(first.waiting?.[0]?.references).toEqual([
    { address: "data.daemon_vms.golden", attribute: "ids" },
  ]);
  expect(first.leftOut?.toSorted()).toEqual([
    "daemon_vm.after",
    "daemon_vm.named",
    "daemon_vm.web",
  ]);
  const whole = withKnown(first, ids);
  expect(whole.waiting).toBeUndefined();
  expect(addressesOf(whole)).toEqual([
    "daemon_vm.base",
    'daemon_vm.web["a"]',
    'daemon_vm.web["b"]',
    "daemon_vm.after",
    "daemon_vm.named",
  ]);
  expect(whole.outputs.map(({ name }) => name)).toEqual(["many", "base"]);
  // It comes after what its instances are known from.
  expect(whole.instances[1]?.data).toEqual(["data.daemon_vms.golden"]);
});

test("one round may show the next", () => {
  const first = loadSound(`
data:
  daemon_vms.golden: {}
  daemon_vms.each: { for_each: "\${data.daemon_vms.golden.ids}", tags: ["\${each.key}"] }
resources:
  daemon_vm.web: { count: "\${size(data.daemon_vms.each)}", id: "web-\${count.index}" }
  daemon_vm.deep: { count: "\${size(data.daemon_vms.each['a'].ids)}", id: "deep-\${count.index}" }
`);
  expect(first.data.map(({ address }) => address)).toEqual(["data.daemon_vms.golden"]);
  const second = withKnown(first, ids);
  expect(addressesOf(second)).toEqual(["daemon_vm.web[0]", "daemon_vm.web[1]"]);
  expect(second.leftOut).toEqual(["daemon_vm.deep"]);
  const third = withKnown(second, { ...ids, 'data.daemon_vms.each["a"]': { ids: ["x"] } });
  expect(addressesOf(third)).toContain("daemon_vm.deep[0]");
});

test("a provider that waits takes its resources with it, and no others", () => {
  const first = loadSound(`
providers:
  daemon: {}
  daemon.far: { url: "http://\${data.daemon_vms.golden.ids[0]}" }
data: { daemon_vms.golden: {} }
resources:
  daemon_vm.near: { id: near }
  daemon_vm.far: { id: far, provider: daemon.far }
`);
  expect(first.providers.map(({ name }) => name)).toEqual(["daemon"]);
  expect(addressesOf(first)).toEqual(["daemon_vm.near"]);
  expect(first.leftOut).toEqual(["daemon_vm.far"]);
  const { providers } = withKnown(first, ids);
  expect(providers.map(({ settings }) => settings)).toEqual([
    expect.anything(),
    expect.objectContaining({ url: "http://a" }),
  ]);
});

test("what waits protects all that is recorded of it", () => {
  const { protection } = loadSound(`
data: { daemon_vms.golden: {} }
resources:
  daemon_vm.a: { count: "\${data.daemon_vms.golden.vm_count}", id: a, lifecycle: { prevent_destroy: true } }
  daemon_vm.b: { count: "\${data.daemon_vms.golden.vm_count}", id: b }
`);
  expect(protection).toEqual({ protected: ["daemon_vm.a"], lifted: [] });
});

test("an answer that fits no count is told where it is written", () => {
  const first = loadSound(`
data: { daemon_vms.golden: {} }
resources: { daemon_vm.web: { count: "\${data.daemon_vms.golden.vm_count}", id: web } }
`);
  const read = first.withKnown?.(() => ({ vm_count: -1 }));
  expect(read?.value).toBeUndefined();
  expect(read?.diagnostics.map(({ code, source }) => [code, source?.line])).toEqual([
    ["CFG032", 3],
  ]);
});

test("warnings are told once", () => {
  const { value, diagnostics } = loadConfig(`
variables: { unused: { type: string, default: x } }
data: { daemon_vms.golden: {} }
resources: { daemon_vm.web: { for_each: "\${data.daemon_vms.golden.ids}", id: "\${each.key}" } }
`);
  expect(diagnostics.map(({ severity }) => severity)).toEqual(["warning"]);
  expect(value?.withKnown?.(() => ids["data.daemon_vms.golden"]).diagnostics).toEqual([]);
});

test("instances that need each other are a circle", () => {
  const { diagnostics } = loadConfig(`
resources:
  daemon_vm.a: { count: "\${size(daemon_vm.b)}", id: "a-\${count.index}" }
  daemon_vm.b: { count: "\${size(daemon_vm.a)}", id: "b-\${count.index}" }
`);
  expect(diagnostics.map(({ code }) => code)).toEqual(["CFG030"]);
});

test("a long chain that waits takes no stack", onlyInLongRun, () => {
  const length = amount(12_000, 20_000);
  const lines = Array.from({ length }, (_, index) => {
    const before = index === 0 ? "daemon_vm.web" : `daemon_vm.n${index - 1}`;
    return `  daemon_vm.n${index}: { id: n${index}, depends_on: [${before}] }`;
  });
  const { instances, leftOut } = loadSound(`
data: { daemon_vms.golden: {} }
resources:
  daemon_vm.web: { count: "\${data.daemon_vms.golden.vm_count}", id: web }
${lines.join("\n")}
`);
  expect(instances).toEqual([]);
  expect(leftOut).toHaveLength(length + 1);
});
