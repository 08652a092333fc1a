/** Desired instances and outputs: what they give for a lookup, and what waits. */

import { describe, expect, test } from "vitest";
import { evaluateDeferred } from "../../../src/expressions/evaluate/deferred.ts";
import type { ReferenceLookup } from "../../../src/model/value/expression.ts";
import { type PlannedAttributes, unknown } from "../../../src/model/value/value.ts";
import { loadSound } from "../../helpers/load-config.ts";

const trial = 'providers: { trial: { url: "https://x", password: { env: PW } } }\n';

const knowing =
  (objects: { readonly [address: string]: PlannedAttributes }): ReferenceLookup =>
  (address) =>
    objects[address];

function instance(text: string, address: string) {
  const found = loadSound(`${trial}${text}`).instances.find((one) => one.address === address);
  if (found === undefined) throw new Error(`no ${address}`);
  return found;
}

const chained = `
locals:
  ip: \${trial_item.a.href}
  tree: { deep: ["\${locals.ip}", fixed] }
resources:
  trial_item.a: { name: a }
  trial_item.b:
    name: b
    text: at \${locals.ip}
    words: \${locals.tree.deep}
    labels: { one: "\${trial_item.a.href}", two: "2" }
    size: \${size(locals.ip) + 1}
    extra: [1, { x: "\${trial_item.a.load}" }]
`;

describe("what refers to an object that is not known", () => {
  const b = instance(chained, "trial_item.b");
  const { attributes, deferred, diagnostics } = b.resolve(() => undefined);

  test("is unknown where it must be", () => {
    expect(diagnostics).toEqual([]);
    expect(attributes).toEqual({
      name: "b",
      text: unknown,
      words: [unknown, "fixed"],
      labels: { one: unknown, two: "2" },
      size: unknown,
      extra: [1, { x: unknown }],
    });
    expect(Object.keys(deferred)).toEqual(["text", "words", "labels", "size", "extra"]);
  });

  test("is evaluated later, from the deferred values alone", () => {
    const plan: typeof deferred = JSON.parse(JSON.stringify(deferred)) as typeof deferred;
    const lookup = knowing({ "trial_item.a": { name: "a", href: "/a/1", load: 2 } });
    const values = Object.entries(plan).map(
      ([name, value]) => [name, evaluateDeferred(value, lookup)] as const,
    );
    expect(values.flatMap(([, { problems }]) => problems)).toEqual([]);
    expect(Object.fromEntries(values.map(([name, { value }]) => [name, value]))).toEqual({
      text: "at /a/1",
      words: ["/a/1", "fixed"],
      labels: { one: "/a/1", two: "2" },
      size: 5,
      extra: [1, { x: 2 }],
    });
  });

  test("and equals what a knowing lookup gives at once", () => {
    const lookup = knowing({ "trial_item.a": { name: "a", href: "/a/1", load: 2 } });
    const resolved = b.resolve(lookup);
    expect(resolved.deferred).toEqual({});
    expect(resolved.attributes).toEqual({
      name: "b",
      text: "at /a/1",
      words: ["/a/1", "fixed"],
      labels: { one: "/a/1", two: "2" },
      size: 5,
      extra: [1, { x: 2 }],
    });
  });

  test("and depends on it, through locals too", () => {
    expect(b.dependencies).toEqual(["trial_item.a"]);
    expect(b.references).toContainEqual({ address: "trial_item.a", attribute: "href" });
    expect(b.references).toContainEqual({ address: "trial_item.a", attribute: "load" });
  });
});

describe("problems that only values show", () => {
  const text = `resources:
  trial_item.a: { name: a }
  trial_item.b: { name: "\${trial_item.a.href}", size: "\${size(trial_item.a.href)}" }
`;
  const b = instance(text, "trial_item.b");

  test("a rule of the schema", () => {
    const { diagnostics } = b.resolve(knowing({ "trial_item.a": { href: "" } }));
    expect(diagnostics).toMatchObject([
      { code: "CFG020", address: "trial_item.b", detail: "The value must not be empty." },
      { code: "CFG020", detail: "The value must be >= 1. Size in GB." },
    ]);
  });

  test("null where a value is required", () => {
    const { diagnostics } = b.resolve(knowing({ "trial_item.a": { href: null } }));
    expect(diagnostics.map(({ code }) => code)).toEqual(["CFG018", "CFG025"]);
  });

  test("none when all is well", () => {
    const { diagnostics } = b.resolve(knowing({ "trial_item.a": { href: "x" } }));
    expect(diagnostics).toEqual([]);
  });
});

test("defaults of the schema are filled in, and what is set to null is not set", () => {
  const text = `resources:
  daemon_shared_folder.a: { vm_id: v, guest_path: g, host_path: /h, writable: }
  daemon_shared_folder.b: { vm_id: v, guest_path: h, host_path: /h, writable: false }
  daemon_vm.c: { id: c, tag: "\${null}", name: ~ }
`;
  const { instances } = loadSound(text);
  const resolved = instances.map((one) => one.resolve(() => undefined).attributes);
  expect(resolved).toEqual([
    { vm_id: "v", guest_path: "g", host_path: "/h", writable: true },
    { vm_id: "v", guest_path: "h", host_path: "/h", writable: false },
    { id: "c" },
  ]);
});

test("outputs resolve like attributes", () => {
  const { outputs } = loadSound(`${trial}resources: { trial_item.a: { name: a } }
outputs:
  where: { value: "\${trial_item.a.href}", description: Its place. }
  all: { value: { hrefs: ["\${trial_item.a.href}"], n: 1 } }
  token: { value: "\${trial_item.a.token}", sensitive: true }
`);
  const lookup = knowing({ "trial_item.a": { href: "/a", token: "t" } });
  expect(outputs.map((output) => output.resolve(lookup))).toEqual([
    { value: "/a", diagnostics: [] },
    { value: { hrefs: ["/a"], n: 1 }, diagnostics: [] },
    { value: "t", diagnostics: [] },
  ]);
  expect(outputs[0]).toMatchObject({
    name: "where",
    sensitive: false,
    description: "Its place.",
    references: [{ address: "trial_item.a", attribute: "href" }],
  });
  const waiting = outputs[1]?.resolve(() => undefined);
  expect(waiting?.value).toEqual({ hrefs: [unknown], n: 1 });
  expect(waiting?.deferred && evaluateDeferred(waiting.deferred, lookup).value).toEqual({
    hrefs: ["/a"],
    n: 1,
  });
});

test("the order is that of files by name, lines and instances", () => {
  const { instances } = loadSound({
    "b.vmform.yaml": "resources: { daemon_vm.z: { id: z } }",
    "a.vmform.yaml":
      "resources:\n  daemon_vm.y: { for_each: [q, p], id: 'y-${each.key}' }\n  daemon_vm.x: { id: x }\n",
  });
  expect(instances.map(({ address, order }) => `${order} ${address}`)).toEqual([
    '0 daemon_vm.y["q"]',
    '1 daemon_vm.y["p"]',
    "2 daemon_vm.x",
    "3 daemon_vm.z",
  ]);
  expect(instances[2]?.source).toEqual({
    file: "a.vmform.yaml",
    line: 3,
    column: 3,
    text: "  daemon_vm.x: { id: x }",
  });
});

test("depends_on comes beside references, without duplicates", () => {
  const { instances } = loadSound(`resources:
  daemon_vm.a: { for_each: [x, y], id: "\${each.key}" }
  daemon_vm.b: { id: b, tag: '\${daemon_vm.a["y"].ip_address}', depends_on: [daemon_vm.a] }
`);
  expect(instances[2]).toMatchObject({
    explicitDependencies: ['daemon_vm.a["x"]', 'daemon_vm.a["y"]'],
    dependencies: ['daemon_vm.a["y"]', 'daemon_vm.a["x"]'],
  });
});
