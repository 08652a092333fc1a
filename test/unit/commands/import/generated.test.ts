/**
 * What generated configuration holds of attributes that other tools are known to write wrongly:
 * secrets, computed ones, empty words, ones that exclude each other, and instances of `for_each`.
 */

import { describe, expect, test } from "vitest";
import type { FoundObject } from "../../../../src/commands/import/describe.ts";
import { generateConfiguration } from "../../../../src/commands/import/generated-configuration.ts";
import type { Target } from "../../../../src/commands/import/references.ts";
import type { Observation } from "../../../../src/model/provider/observation.ts";
import type { ResourceType, TypeRegistry } from "../../../../src/model/provider/provider.ts";
import type { Diagnostic } from "../../../../src/model/said/diagnostic.ts";
import type { Address } from "../../../../src/model/value/address.ts";
import { readResourceSchema } from "../../../../src/model/value/resource-schema.ts";
import type { Attributes } from "../../../../src/model/value/value.ts";
import { typeRegistry } from "../../../../src/providers/registry.ts";

const clash: Diagnostic = {
  severity: "error",
  code: "TST001",
  summary: "Two sizes",
  detail: "size_gb and size_bytes exclude each other.",
};

function typeOf(properties: object, more: Partial<ResourceType> = {}): ResourceType {
  const { daemon_vm: vm } = typeRegistry();
  if (vm === undefined) throw new Error("the type is gone");
  const json = { description: "A test's own.", type: "object", required: ["id"], properties };
  const { power: _power, ...rest } = vm;
  return {
    ...rest,
    name: "test_box",
    schema: readResourceSchema("test_box", json),
    check: () => [],
    parseIdentity: (text) => text,
    ...more,
  };
}

const id = { type: "string", "x-vmform": { key: true } };

function found(
  type: ResourceType,
  identity: string,
  attributes: Attributes,
  unread: Partial<Extract<Observation, { status: "found" }>> = {},
): FoundObject {
  const observation = { status: "found", identity, attributes, unreadable: {}, ...unread } as const;
  return { type, provider: "test", identity, observation };
}

type Options = { group?: boolean; types?: TypeRegistry; targets?: readonly Target[] };

function textOf(objects: readonly FoundObject[], options: Options = {}): string {
  const { group = true, types = {}, targets = [] } = options;
  return generateConfiguration(objects, { types, targets, taken: new Map(), group }).text;
}

describe("attributes", () => {
  test("a secret that is needed, or was told, is a variable; one that may not be there is not", () => {
    const sensitive = { type: "string", "x-vmform": { sensitive: true } };
    const type = typeOf({ id, password: sensitive, token: sensitive });
    const text = textOf([found(type, "a", { id: "a", password: "hunter2" })]);
    expect(text).toBe(
      [
        "variables:",
        '  a_password: { type: map, sensitive: true, description: "A secret of the test_box a: { env: NAME } or { file: PATH }." }',
        "",
        "resources:",
        "  test_box.a:",
        "    id: a",
        "    password: ${vars.a_password}",
        "",
        "imports:",
        "  - { to: test_box.a, id: a }",
        "",
      ].join("\n"),
    );
  });

  test("a word that nobody may write is told in a comment", () => {
    const type = typeOf({ id, mode: { type: "string", enum: ["fast", "slow"] } });
    const text = textOf([found(type, "a", { id: "a", mode: "" })]);
    expect(text).toContain(
      '# mode is "", which a configuration cannot say: The value must be one of fast or slow.\n',
    );
    expect(text).not.toContain("mode:");
  });

  test("what breaks a rule within a map is told in a comment", () => {
    const sizes = { type: "object", additionalProperties: { type: "integer", minimum: 1 } };
    const type = typeOf({ id, sizes });
    expect(textOf([found(type, "a", { id: "a", sizes: { x: 0 } })])).toMatch(
      /# sizes is \{"x":0\}, which a configuration cannot say: .*\n {2}test_box/,
    );
  });

  test("nothing computed is written, and nothing that is not set", () => {
    const type = typeOf({ id, uuid: { type: "string", "x-vmform": { computed: true } }, note: {} });
    const text = textOf([found(type, "a", { id: "a", uuid: "u", note: null })]);
    expect(text).not.toMatch(/uuid|note/);
  });

  test("of those that exclude each other, one is left out with a comment", () => {
    const type = typeOf(
      { id, size_gb: { type: "integer" }, size_bytes: { type: "integer" } },
      { check: (all) => ("size_gb" in all && "size_bytes" in all ? [clash] : []) },
    );
    const text = textOf([found(type, "a", { id: "a", size_gb: 1, size_bytes: 2 ** 30 })]);
    expect(text).toContain(
      "# size_bytes is 1073741824 and left out: size_gb and size_bytes exclude each other.\n",
    );
    expect(text).toContain("size_gb: 1\n");
    expect(text).not.toContain("size_bytes:");
  });

  test("an object that cannot stand at all is left out with the reason", () => {
    const type = typeOf({ id }, { check: () => [clash] });
    const generated = generateConfiguration([found(type, "a", { id: "a" })], {
      ...{ types: {}, targets: [], taken: new Map(), group: true },
    });
    expect(generated).toMatchObject({
      text: "",
      skipped: [{ identity: "a", reason: "size_gb and size_bytes exclude each other" }],
    });
  });

  test("why something could not be read is said, on one line", () => {
    const type = typeOf({ id, note: { type: "string" } });
    const object = found(
      type,
      "a",
      { id: "a" },
      {
        unreadable: { note: "failed" },
        reasons: { note: "line\u2028one." },
      },
    );
    expect(textOf([object])).toContain("# note could not be read: line one.\n");
  });

  test("an object of another kind is no object of the type", () => {
    const type = typeOf({ id }, { otherKind: () => "it is a template" });
    expect(textOf([found(type, "a", { id: "a" })])).toBe("");
  });
});

describe("groups", () => {
  const type = typeOf({ id, size: { type: "integer" }, tag: { type: "string" } });

  test("one resource of objects with one first word and the same attributes", () => {
    const text = textOf([
      found(type, "web-2", { id: "web-2", size: 2, tag: "a" }),
      found(type, "web-10", { id: "web-10", size: 3, tag: "a" }),
      found(type, "web-1", { id: "web-1", size: 1, tag: "a" }),
      found(type, "web-x", { id: "web-x", size: 1 }),
      found(type, "db-1", { id: "db-1", size: 1, tag: "a" }),
    ]);
    expect(text).toContain(
      [
        "  test_box.web:",
        "    for_each:",
        "      web-1: { size: 1 }",
        "      web-2: { size: 2 }",
        "      web-10: { size: 3 }",
        "    id: ${each.key}",
        "    size: ${each.value.size}",
        "    tag: a",
        "",
        "  test_box.web_x:",
      ].join("\n"),
    );
    expect(text).toContain("  test_box.db_1:\n");
    expect(text).toContain(`{ to: 'test_box.web["web-10"]', id: web-10 }`);
  });

  test("objects that are the same but for their key need a list alone", () => {
    const text = textOf([
      found(type, "web-2", { id: "web-2" }),
      found(type, "web-1", { id: "web-1" }),
    ]);
    expect(text).toContain("for_each:\n      - web-1\n      - web-2\n    id: ${each.key}\n");
  });

  test("awkward keys are made plain, and stay unique", () => {
    const text = textOf([
      found(type, 'web"1', { id: 'web"1' }),
      found(type, "web$1", { id: "web$1" }),
      found(type, "web${x}", { id: "web${x}" }),
    ]);
    expect(text).toContain(`'test_box.web["web_1"]'`);
    expect(text).toContain(`'test_box.web["web_1_2"]'`);
    expect(text).toContain('web_x_: { id: "web$${x}" }');
  });

  test("identities made of random digits are called after their type", () => {
    const ids = ["4c4c4544-0042-3010-8051-b4c04f4d5931", "9e107d9d-3728-4a51-96a3-1b5c1d2f7a11"];
    const text = textOf(ids.map((one) => found(type, one, { id: one })));
    expect(text).toContain("  test_box.box:\n    for_each:\n");
  });

  test("secrets of a group are one variable, by key", () => {
    const secret = typeOf({ id, key: { type: "string", "x-vmform": { sensitive: true } } });
    const objects = ["web-1", "web-2"].map((one) => found(secret, one, { id: one, key: "x" }));
    const text = textOf(objects);
    expect(text).toContain("key: ${vars.web_key[each.key]}");
    expect(text).toContain("  web_key: { type: map, sensitive: true,");
  });
});

describe("references", () => {
  const host = typeOf({ id }, { name: "test_host" });
  const type = typeOf({ id, host: { type: "string", "x-vmform": { names: "test_host" } } });
  const types = { test_host: host, test_box: type };
  const at = (address: string, identity: string, provider = "test"): Target => ({
    ...{ address: address as Address, type: "test_host", provider, identity },
    attributes: { id: identity },
  });
  const box = (name: string, on: string) => found(type, name, { id: name, host: on });

  test.each([
    ["one object", [at("test_host.h", "h1")], "${test_host.h.id}"],
    ["an instance", [at('test_host.h["a"]', "h1")], '${test_host.h["a"].id}'],
    ["nothing that is known", [at("test_host.h", "h2")], "h1"],
    ["two objects", [at("test_host.h", "h1"), at("test_host.i", "h1")], "h1"],
    ["an object of another provider", [at("test_host.h", "h1", "test.east")], "h1"],
    ["an object in a module", [at("module.m.test_host.h", "h1")], "h1"],
  ])("%s", (_what, targets, expected) => {
    expect(textOf([box("a", "h1")], { types, targets })).toContain(`    host: ${expected}\n`);
  });

  test("each of a group names its instance", () => {
    const targets = [at('test_host.h["a"]', "h1"), at('test_host.h["b"]', "h2")];
    const text = textOf([box("web-1", "h1"), box("web-2", "h2")], { types, targets });
    expect(text).toContain("web-2: { host: b }");
    expect(text).toContain("host: ${test_host.h[each.value.host].id}");
  });

  test("those that name different resources are no group", () => {
    const targets = [at("test_host.h", "h1"), at("test_host.i", "h2")];
    const text = textOf([box("web-1", "h1"), box("web-2", "h2")], { types, targets });
    expect(text).not.toContain("for_each");
    expect(text).toContain("host: ${test_host.i.id}");
  });
});
