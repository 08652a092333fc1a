/** `vmform import --all`: what is written, and that planning it imports and changes nothing. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FoundObject } from "../../../../src/commands/import/describe.ts";
import {
  type GeneratedConfiguration,
  generateConfiguration as generate,
} from "../../../../src/commands/import/generated-configuration.ts";
import { generateNames } from "../../../../src/commands/import/generated-names.ts";
import { nameProblem } from "../../../../src/config/read/names.ts";
import type { ResourceType } from "../../../../src/model/provider/provider.ts";
import { typeRegistry } from "../../../../src/providers/registry.ts";
import type { WorldSource } from "../../../../src/simulators/world.ts";
import { onlyInLongRun } from "../../../helpers/amount.ts";
import { loadSound } from "../../../helpers/load-config.ts";
import { testTypes } from "../../../helpers/recorded-builder.ts";
import { type Workplace, workplace } from "../command-line.ts";

const world: WorldSource = {
  daemon: {
    vms: {
      "web-1": { name: "Web: 1", tag: "0123", power: "on" },
      "web.1": { power: "suspended" },
      "0815": { power: "off" },
      in: {},
      "${vars.x}": { name: "${x}", power: "on" },
      known: { power: "on" },
    },
  },
};
const provider = "providers: { daemon: { url: DAEMON } }\n";

async function started(): Promise<Workplace> {
  const place = await workplace(world);
  place.write({ "main.vmform.yaml": `${provider}resources: { daemon_vm.known: { id: known } }\n` });
  await place.run("import", "daemon_vm.known", "known");
  return place;
}

describe("import --all", () => {
  test("writes what planning imports without a change, and applying records", async () => {
    const place = await started();
    const file = join(place.folder, "found.vmform.yaml");
    const result = await place.run("import", "--all", "daemon_vm", "--no-group", "--out", file);
    expect(result).toMatchObject({ code: 0, stdout: "" });
    expect(result.stderr).toContain("Wrote 5 objects");
    expect(result.stderr).toContain("vmform plan");
    const text = readFileSync(file, "utf8");
    expect(text).not.toContain("known");
    expect(text).toContain(
      'daemon_vm.web_1:\n    id: web-1\n    name: "Web: 1"\n    tag: "0123"\n',
    );
    const plan = await place.run("plan");
    expect(plan.stdout).toContain("Plan: 5 to import, 0 to add, 0 to change, 0 to destroy.");
    const apply = await place.run("apply", "--auto-approve");
    expect(apply).toMatchObject({ code: 0 });
    expect((await place.run("plan")).stdout).toContain("No changes.");
    const { addresses } = await place.json("state", "list");
    expect(addresses).toHaveLength(6);
    expect(place.daemon.log().filter((entry) => entry.class === "mutate")).toEqual([]);
    const again = await place.run("import", "--all", "daemon_vm");
    expect(again).toMatchObject({ code: 0, stdout: "" });
    expect(again.stderr).toContain("Nothing of type daemon_vm is left to import.");
  });

  test("one is counted as one", async () => {
    const place = await workplace({ daemon: { vms: { known: {} } } });
    place.write({ "main.vmform.yaml": provider });
    const file = join(place.folder, "found.vmform.yaml");
    const { stderr } = await place.run("import", "--all", "daemon_vm", "--no-group", "--out", file);
    expect(stderr).toContain("Wrote 1 object to");
  });

  test("shared folders of known VMs that tell of them", async () => {
    const folders = { evil: { host_path: "/etc" } };
    const on = { power: "on", sharing: true, folders } as const;
    const place = await workplace({ daemon: { vms: { dev: on, dark: { folders } } } });
    const vms = "{ daemon_vm.dev: { id: dev }, daemon_vm.dark: { id: dark } }";
    place.write({ "main.vmform.yaml": `${provider}resources: ${vms}\n` });
    const { code, stdout } = await place.run("import", "--all", "daemon_shared_folder");
    expect(code).toBe(0);
    expect(stdout).toContain(
      "vm_id: ${daemon_vm.dev.id}\n    guest_path: evil\n    host_path: /etc\n",
    );
    expect(stdout).not.toContain("dark");
  });

  test("says that there is nowhere to look for content, where nothing holds any", async () => {
    const place = await workplace({ daemon: { vms: { dev: { power: "on" } } } });
    place.write({ "main.vmform.yaml": provider });
    const { code, stderr } = await place.run("import", "--all", "daemon_shared_folder");
    expect(code).toBe(1);
    expect(stderr).toContain("is content of a daemon_vm, and none is recorded or declared");
    expect(stderr).toContain("vmform import --all daemon_vm,daemon_shared_folder");
  });

  test("without a file it prints the configuration, and nothing beside it", async () => {
    const place = await started();
    const { code, stdout } = await place.run("import", "--all", "daemon_vm");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^# Not told of any daemon_vm: .*\nresources:\n/);
    writeFileSync(join(place.folder, "found.vmform.yaml"), stdout);
    expect((await place.run("plan")).stdout).toContain("Plan: 5 to import, 0 to add, 0 to change");
  });

  test("never writes over a file, and never touches recorded state", async () => {
    const place = await started();
    const file = join(place.folder, "main.vmform.yaml");
    const before = readFileSync(file, "utf8");
    const state = readFileSync(join(place.folder, "state", "default.json"), "utf8");
    const { code, stderr } = await place.run(
      "import",
      "--all",
      "daemon_vm",
      "--no-group",
      "--out",
      file,
    );
    expect(code).toBe(1);
    expect(stderr).toContain("is there already");
    expect(readFileSync(file, "utf8")).toBe(before);
    await place.run("import", "--all", "daemon_vm");
    expect(readFileSync(join(place.folder, "state", "default.json"), "utf8")).toBe(state);
  });

  test("what is declared already is left to its own import", async () => {
    const place = await started();
    place.write({ "more.vmform.yaml": "resources: { daemon_vm.mine: { id: in } }\n" });
    const { stdout, stderr } = await place.run("import", "--all", "daemon_vm");
    expect(stdout).not.toContain("id: in\n");
    expect(stderr).toContain("vmform import 'daemon_vm.mine' 'in'");
  });

  test("a file outside of the configuration is said not to be read", async () => {
    const place = await started();
    const file = join(place.folder, "found.yaml");
    const { stderr } = await place.run("import", "--all", "daemon_vm", "--no-group", "--out", file);
    expect(existsSync(file)).toBe(true);
    expect(stderr).toContain("It is not read from there");
  });

  test("objects of an aliased provider name it", async () => {
    const place = await workplace(world);
    place.write({ "main.vmform.yaml": "providers: { daemon.east: { url: DAEMON } }\n" });
    const { stdout } = await place.run("import", "--all", "daemon_vm");
    expect(stdout).toContain("provider: daemon.east");
    writeFileSync(join(place.folder, "found.vmform.yaml"), stdout);
    expect((await place.run("plan")).stdout).toContain("Plan: 6 to import, 0 to add, 0 to change");
  });

  test.each([
    ["daemon_wm", "Did you mean daemon_vm?"],
    ["nothing", "The types are"],
    ["noop_resource", "cannot list"],
  ])("%s is refused", async (type, why) => {
    const place = await started();
    const { code, stderr } = await place.run("import", "--all", type);
    expect(stderr).toContain(why);
    expect(code).toBe(1);
  });
});

describe("generated configuration", () => {
  const { daemon_vm: vm } = typeRegistry();
  if (vm === undefined) throw new Error("the type is gone");
  const vault = { ...vm, name: "test_vault", schema: testTypes.test_vault?.schema } as ResourceType;
  const found = (identity: string, attributes: object, type = vm): FoundObject => ({
    type,
    provider: "daemon",
    identity,
    observation: { status: "found", identity, attributes: attributes as {}, unreadable: {} },
  });

  const generateConfiguration = (objects: readonly FoundObject[]): GeneratedConfiguration =>
    generate(objects, { types: typeRegistry(), taken: new Map(), targets: [], group: false });

  test("holds no secret and nothing that is not set", () => {
    const objects = [
      found("v", { id: "v", password: "hunter2", note: null, labels: { a: "${x}" } }, vault),
    ];
    const { text } = generateConfiguration(objects);
    expect(text).not.toContain("hunter2");
    expect(text).not.toContain("note");
    expect(text).toContain("a: $${x}");
  });

  test("leaves out what cannot be described, and says why", () => {
    const { text, skipped } = generateConfiguration([
      found("blank", {}),
      { ...found("gone", {}), observation: { status: "missing", proof: "p" } },
      {
        ...found("lost", {}),
        observation: { status: "unreadable", rule: "failed", reason: "r" },
      },
    ]);
    expect(text).toBe("");
    expect(skipped).toEqual([
      { type: "daemon_vm", identity: "blank", reason: "its id could not be read" },
      { type: "daemon_vm", identity: "gone", reason: "it is gone meanwhile" },
      { type: "daemon_vm", identity: "lost", reason: "r" },
    ]);
  });

  test("a power that changes is left as it is", () => {
    const { text } = generateConfiguration([found("a", { id: "a", power_state: "changing" })]);
    expect(text).toContain("id: a");
    expect(text).toContain('# power is "changing", which nobody can ask for.');
    expect(text).not.toContain("power:");
  });

  test("any texts load as what they are", onlyInLongRun, () => {
    const text = fc.oneof(
      fc.string({ minLength: 1, unit: "grapheme" }).filter((one) => !/[\u0000-\u001f]/.test(one)),
      fc.constantFrom("on", "true", "0123", "~", "- a", "a: b", "#x", "${vars.x}", "$${x}", "1e3"),
      fc.constantFrom("line\nline\n", " a", "a ", "<<", "*a", "&a", "!t", "'", '"', "`", "%", "@"),
    );
    const object = fc.record({ id: text, name: text, tag: text });
    fc.assert(
      fc.property(fc.uniqueArray(object, { selector: ({ id }) => id, minLength: 1 }), (objects) => {
        const generated = generateConfiguration(objects.map((one) => found(one.id, one)));
        const skipped = new Set(generated.skipped.map(({ identity }) => identity));
        const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
          a.id < b.id ? -1 : 1;
        const written = objects.filter(({ id }) => !skipped.has(id)).toSorted(byId);
        fc.pre(written.length > 0);
        const { instances, imports } = loadSound(generated.text);
        const loaded = instances.map(
          (instance) => instance.resolve(() => undefined).attributes as (typeof objects)[number],
        );
        expect(imports.map(({ id }) => id)).toEqual(loaded.map(({ id }) => id));
        expect(loaded.toSorted(byId)).toEqual(written);
        expect(imports.map(({ to }) => to)).toEqual(instances.map(({ address }) => address));
      }),
    );
  });

  test("names are valid, new and one for each id", () => {
    const odd = fc.constantFrom("in", "a", "a_2", "a-2", "0", "", "-", "für");
    const id = fc.oneof(fc.string(), odd);
    fc.assert(
      fc.property(fc.array(id), fc.uniqueArray(id), (ids, taken) => {
        const names = generateNames(ids, new Set(taken));
        expect(names.map((name) => nameProblem(name)).filter((one) => one !== undefined)).toEqual(
          [],
        );
        expect(new Set([...names, ...taken]).size).toBe(ids.length + taken.length);
      }),
    );
    expect(generateNames(["web-1", "web.1", "0815", "in"], new Set(["web_1_2"]))).toEqual([
      "web_1",
      "web_1_3",
      "_0815",
      "in_",
    ]);
  });
});
