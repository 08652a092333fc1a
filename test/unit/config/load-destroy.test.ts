/** What destroying needs of a configuration, what stops it, and what it says of protection. */

import { describe, expect, test } from "vitest";
import { loadForDestroy } from "../../../src/config/load-destroy.ts";
import { configDataTypes, configSettings, configTypes } from "../../helpers/config-types.ts";
import { type ConfigFiles, toBytes } from "../../helpers/load-config.ts";

const url = "http://127.0.0.1:8080";
const used = 'providers: { daemon: { url: "${vars.u}" } }\n';
const provider = `providers: { daemon: { url: "${url}" } }\n`;

function load(files: ConfigFiles | string, variables: readonly string[] = []) {
  const named = typeof files === "string" ? { "main.vmform.yaml": files } : files;
  const { value, diagnostics } = loadForDestroy({
    files: Object.entries(named).map(([name, text]) => ({ name, bytes: toBytes(text) })),
    directory: "/folder",
    home: "/homes/somebody",
    types: configTypes,
    dataTypes: configDataTypes,
    providerSettings: configSettings,
    variables: {
      cli: variables.map((text) => {
        const [name = "", given = ""] = text.split("=");
        return { name, text: given };
      }),
      files: [],
      environment: {},
    },
    version: "0.1.0",
  });
  const told = diagnostics.map(({ severity, code }) => `${severity} ${code}`);
  return { value, told, diagnostics };
}

const overlooked = ["warning CFG045"];

describe("what does not stop it", () => {
  test.each([
    ["an unknown attribute", `${provider}resources: { daemon_vm.a: { idd: a } }`],
    ["an unknown type", `${provider}resources: { daemon_vmm.a: { id: a } }`],
    ["a dangling reference", `${provider}resources: { daemon_vm.a: { id: "\${daemon_vm.b.id}" } }`],
    ["a variable without a value", `${provider}variables: { x: { type: string } }`],
    ["a malformed local", `${provider}locals: { x: "\${1 +}" }`],
    ["locals in a circle", `${provider}locals: { x: "\${locals.x}" }`],
    ["a data source", `${provider}data: { daemon_vms.a: { colour: red } }`],
    ["an output", `${provider}outputs: { x: { value: "\${vars.nothing}" } }`],
    [
      "a key given twice",
      `${provider}resources: { daemon_vm.a: { id: a }, daemon_vm.a: { id: b } }`,
    ],
    ["a block given twice", `${provider}resources: {}\nresources: {}\n`],
    ["a tag", `${provider}resources: { daemon_vm.a: { id: !Ref a } }`],
    ["an alias of nothing", `${provider}resources: { daemon_vm.a: *nothing }`],
    ["an unknown block", `${provider}widgets: {}\n`],
    ["a moved entry", `${provider}moved: [{ from: daemon_vm.a, to: noop_resource.b }]`],
    ["an unused variable's type", `${provider}variables: { x: { type: strng, default: a } }`],
    [
      "resources that form a circle",
      `${provider}resources:
  daemon_vm.a: { id: a, depends_on: [daemon_vm.b] }
  daemon_vm.b: { id: b, depends_on: [daemon_vm.a] }`,
    ],
    [
      "a validation of the variable used",
      `providers: { daemon: { url: "\${vars.u}" } }
variables: { u: { default: "${url}", validation: [{ condition: "\${false}", message: no }] } }`,
    ],
    ["another file that is no YAML", { a: provider, b: "resources: {" }],
    ["another file that is no text", { a: `vmform: {}\n${provider}`, b: "locals: {}\n\u0007" }],
  ])("%s", (_what, files) => {
    const { value, told } = load(files);
    expect(told).toEqual(overlooked);
    expect(value?.providers).toMatchObject([{ name: "daemon", settings: { url } }]);
    expect(value?.keeping.trust).toBe("flawed");
  });
});

describe("what stops it", () => {
  test.each([
    ["a setting of a provider", "providers: { daemon: { ur: x } }", ["CFG013"]],
    ["an unknown provider", "providers: { daemn: { url: x } }", ["CFG037"]],
    ["the block vmform", `${provider}vmform: { stat: 1 }`, ["CFG013"]],
    ["another version", `${provider}vmform: { required_version: ">=9" }`, ["CFG039"]],
    ["a misspelt block", 'provider: { daemon: { url: "x" } }', ["CFG010"]],
    ["providers given twice", `${provider}${provider}`, ["CFG004"]],
    [
      "a setting given twice",
      `providers: { daemon: { url: "${url}", url: "${url}" } }`,
      ["CFG004"],
    ],
    ["a file that may hold them", `${provider}resources: {`, ["CFG002"]],
    ["bytes that are no text", new Uint8Array([0x61, 0xff, 0xfe, 0x62]), ["CFG001"]],
    ["a variable it uses without a value", `${used}variables: { u: {}, w: {} }`, ["CFG026"]],
    [
      "a variable it uses through locals",
      `providers: { daemon: { url: "\${locals.u}" } }
locals: { u: "\${vars.u}" }
variables: { u: {} }`,
      ["CFG026"],
    ],
    [
      "a variable it uses that is declared badly",
      `${used}variables: { u: { type: sting, default: "${url}" } }`,
      ["CFG016"],
    ],
    [
      "a variable it uses that is declared twice",
      `${used}variables: { u: { default: "${url}" }, u: {} }`,
      ["CFG004"],
    ],
    ["a name it uses", used, ["CFG024"]],
    [
      "a local in a circle",
      `providers: { daemon: { url: "\${locals.u}" } }
locals: { u: "\${locals.u}" }`,
      ["CFG030"],
    ],
    ["an alias in it", "locals: { u: &u { ur: x } }\nproviders: { daemon: *u }", ["CFG013"]],
    ["no file", {}, ["CFG041"]],
  ])("%s", (_what, files, codes) => {
    const broken = `resources: { daemon_vm.a: { idd: a } }\n`;
    const all: ConfigFiles =
      typeof files === "string" || files instanceof Uint8Array
        ? { "a.vmform.yaml": files, "z.vmform.yaml": broken }
        : files;
    const { value, told } = load(all);
    expect(value).toBeUndefined();
    expect(told).toEqual(codes.map((code) => `error ${code}`));
  });

  test("a misspelt --var, where settings use variables", () => {
    const uses = `${used}variables: { u: { default: "${url}" } }`;
    expect(load(uses, ["w=x"]).told).toEqual(["error CFG027"]);
    expect(load(`${provider}variables: { u: { default: a } }`, ["w=x"]).told).toEqual(overlooked);
  });
});

describe("protection", () => {
  const protecting = "lifecycle: { prevent_destroy: true }";
  test.each([
    ["sound", `daemon_vm.a: { id: a, ${protecting} }`, ["daemon_vm.a"], [], "sound"],
    [
      "sound, without objects",
      `daemon_vm.a: { count: 0, id: a, ${protecting} }`,
      ["daemon_vm.a"],
      [],
      "sound",
    ],
    ["beside an error", `daemon_vm.a: { idd: a, ${protecting} }`, ["daemon_vm.a"], [], "flawed"],
    ["of an unknown type", `daemon_v.a: { id: a, ${protecting} }`, ["daemon_v.a"], [], "flawed"],
    [
      "misspelt",
      "daemon_vm.a: { id: a, lifecycle: { prevent_destory: true } }",
      ["daemon_vm.a"],
      [],
      "flawed",
    ],
    [
      "of another kind",
      "daemon_vm.a: { id: a, lifecycle: { prevent_destroy: maybe } }",
      ["daemon_vm.a"],
      [],
      "flawed",
    ],
    ["no map", "daemon_vm.a: { id: a, lifecycle: protect }", ["daemon_vm.a"], [], "flawed"],
    ["not set", "daemon_vm.a: { id: a }, daemon_vm.b: { idd: b }", [], ["daemon_vm.a"], "flawed"],
    [
      "not set, but given twice",
      "daemon_vm.a: { id: a }, daemon_vm.a: { id: b }",
      [],
      [],
      "flawed",
    ],
    ["none declared", "", [], [], "empty"],
  ])("%s", (_what, resources, configured, released, trust) => {
    const { value } = load(`${provider}resources: { ${resources} }\n`);
    expect(value?.keeping).toMatchObject({ protected: configured, released, trust });
  });
});
