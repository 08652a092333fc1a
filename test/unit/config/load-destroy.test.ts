/** To destroy: a sound configuration decides, a broken one is not used, and what stops it. */

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

describe("of a broken one nothing is used but the block vmform", () => {
  const vmform = "vmform: { state: { local: { path: mine.json } } }\n";
  test.each<[string, ConfigFiles | string, (readonly string[])?]>([
    ["an unknown attribute", `${vmform}${provider}resources: { daemon_vm.a: { idd: a } }`],
    ["an unknown type", `${vmform}${provider}resources: { daemon_vmm.a: { id: a } }`],
    ["a variable without a value", `${vmform}${used}variables: { u: { type: string } }`],
    ["a value for no variable", `${vmform}${provider}`, ["w=x"]],
    [
      "a validation",
      `${vmform}${used}variables: { u: { default: "${url}", validation: [{ condition: "\${false}", message: no }] } }`,
    ],
    ["a setting of a provider", `${vmform}providers: { daemon: { ur: x } }`],
    ["an unknown provider", `${vmform}providers: { daemn: { url: x } }`],
    ["a misspelt block", `${vmform}provider: { daemon: { url: x } }`],
    ["providers given twice", `${vmform}${provider}${provider}`],
    ["a key given twice", `${vmform}resources: { daemon_vm.a: { id: a }, daemon_vm.a: {} }`],
    ["an alias of nothing", `${vmform}${provider}resources: { daemon_vm.a: *nothing }`],
    ["another file that is no YAML", { a: vmform, b: `${provider}resources: {` }],
    ["another file that is no text", { a: vmform, b: "locals: {}\n\u0007" }],
    ["another file that speaks of it", { a: vmform, b: "# vmform: {\nresources: {" }],
  ])("%s", (_what, files, variables) => {
    const { value, told } = load(files, variables);
    expect(told).toEqual(["warning CFG045"]);
    expect(value?.settings.state.beside).toBe("/folder/mine.json");
    expect(value).toMatchObject({ providers: [], keeping: { by: "record" } });
  });

  test("nor is the block needed, where no file can hold it", () => {
    const { value, told } = load({ a: provider, b: "resources: {" });
    expect(told).toEqual(["warning CFG045"]);
    expect(value?.settings.state.beside).toBe("/folder/state/default.json");
  });

  test("the reason is told, and how to have it used", () => {
    const text = `${used}variables: { u: { type: string } }`;
    const [told] = load(text).diagnostics;
    expect(told?.detail).toBe(
      "main.vmform.yaml:2:14: Variable has no value (CFG026). Settings of providers and " +
        "protection (prevent_destroy) are those of the last apply.",
    );
    expect(told?.fix).toContain("Give --var u=VALUE");
    expect(told?.fix).toContain("vmform validate");
    expect(load(text, [`u=${url}`])).toMatchObject({
      told: [],
      value: { providers: [{ settings: { url } }], keeping: { by: "configuration" } },
    });
  });
});

describe("what stops it", () => {
  test.each([
    ["the block vmform", `${provider}vmform: { stat: 1 }`, ["CFG013"]],
    ["another version", `${provider}vmform: { required_version: ">=9" }`, ["CFG039"]],
    ["the block given twice", `vmform: {}\n${provider}vmform: {}\n`, ["CFG004"]],
    ["a key of it given twice", "vmform: { state: {}, state: {} }", ["CFG004", "CFG020"]],
    ["the block misspelt", `vmfrom: {}\n${provider}`, ["CFG010"]],
    ["a file that may hold it", `vmform: {}\n${provider}resources: {`, ["CFG002"]],
    ["bytes that are no text", new Uint8Array([0x61, 0xff, 0xfe, 0x62]), ["CFG001"]],
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
});

describe("a sound one decides", () => {
  const protecting = "lifecycle: { prevent_destroy: true }";
  const some = "lifecycle: { prevent_destroy: \"${each.key == 'x'}\" }";
  const of = (configured: readonly string[], lifted: readonly string[] = []) => {
    return { protected: configured, lifted };
  };
  test.each([
    ["protects", `daemon_vm.a: { id: a, ${protecting} }`, of(["daemon_vm.a"])],
    [
      "protects without objects",
      `daemon_vm.a: { count: 0, id: a, ${protecting} }`,
      of(["daemon_vm.a"]),
    ],
    [
      "protects some",
      `daemon_vm.a: { for_each: [x, y], id: "$\{each.key}", ${some} }`,
      of(['daemon_vm.a["x"]'], ['daemon_vm.a["y"]']),
    ],
    [
      "lifts",
      "daemon_vm.a: { id: a, lifecycle: { prevent_destroy: false } }",
      of([], ["daemon_vm.a"]),
    ],
    ["declares nothing", "", of([])],
  ])("%s", (_what, resources, configured) => {
    const { value, told } = load(`${provider}resources: { ${resources} }\n`);
    expect(told).toEqual([]);
    expect(value?.providers).toMatchObject([{ name: "daemon", settings: { url } }]);
    expect(value?.keeping).toEqual({ by: "configuration", ...configured });
  });
});
