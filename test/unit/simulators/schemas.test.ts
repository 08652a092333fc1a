/** The schemas of world files, fault scripts and changes, as editors and the simulators see them. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parsePlainYaml } from "../../../src/lib/yaml/plain-yaml.ts";
import { applianceChanges } from "../../../src/simulators/appliance/outside-change.ts";
import { cloudChanges } from "../../../src/simulators/cloud/outside-change.ts";
import { daemonChanges } from "../../../src/simulators/daemon/outside-change.ts";
import { managerChanges } from "../../../src/simulators/manager/outside-change.ts";

const top = fileURLToPath(new URL("../../../", import.meta.url));
const folder = `${top}schemas/`;
const files = [
  "world",
  "faults",
  "test",
  "simulator/daemon",
  "simulator/cloud",
  "simulator/manager",
]
  .concat(["simulator/appliance", "simulator/control"])
  .map((name) => `${name}.schema.json`);

function readSchema(file: string): object {
  const schema: unknown = JSON.parse(readFileSync(`${folder}${file}`, "utf8"));
  if (typeof schema !== "object" || schema === null) throw new TypeError(file);
  return schema;
}

const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true });
ajv.addKeyword("x-vmform");
for (const each of files) ajv.addSchema(readSchema(each), `file:///schemas/${each}`);

/** Problems of a document, its schema found by the path of its file, as an editor does. */
function problemsOf(file: string, value: unknown): readonly string[] {
  const validate = ajv.getSchema(`file:///schemas/${file}`);
  if (validate === undefined) throw new RangeError(file);
  if (validate(value) === true) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function yamlOf(path: string): unknown {
  return parsePlainYaml(readFileSync(path, "utf8"), path).value;
}

describe("an editor", () => {
  const worlds = readdirSync(`${top}examples`)
    .map((name) => `examples/${name}/world.yaml`)
    .filter((path) => existsSync(`${top}${path}`));

  test("has worlds to look at", () => {
    expect(worlds.length).toBeGreaterThan(5);
  });

  test.each([
    ...worlds,
    "test/unit/simulators/sample-world.yaml",
    "test/unit/simulators/cloud/sample-cloud.yaml",
  ])("finds nothing wrong in %s", (path) => {
    expect(problemsOf("world.schema.json", yamlOf(`${top}${path}`))).toEqual([]);
  });

  const examples = readdirSync(`${top}examples`).flatMap((name) =>
    readdirSync(`${top}examples/${name}`)
      .filter((file) => file.endsWith(".vmformtest.yaml"))
      .map((file) => `examples/${name}/${file}`),
  );

  test.each(examples)("finds nothing wrong in the tests %s", (path) => {
    expect(problemsOf("test.schema.json", yamlOf(`${top}${path}`))).toEqual([]);
  });

  test("finds what is wrong in a file of tests, also in its world, its changes and faults", () => {
    const wrong = {
      world: { daemon: { vms: { web: { powr: "on" } } } },
      runs: [
        { name: "x", changes: [{ power_vn: {} }], faults: [{ no: "GET /" }] },
        { name: "y", expect: { assertions: [{ condition: "no expression" }] } },
      ],
    };
    const problems = problemsOf("test.schema.json", wrong).join("\n");
    for (const place of ["/world", "/runs/0/changes/0", "/runs/0/faults", "/runs/1/expect"]) {
      expect(problems).toContain(place);
    }
  });

  test("finds nothing wrong in a fault script", () => {
    const script = yamlOf(`${top}test/unit/simulators/sample-faults.yaml`);
    expect(problemsOf("faults.schema.json", script)).toEqual([]);
  });

  test.each<readonly [string, unknown, string]>([
    ["world.schema.json", { daemon: { rules: { on_when_on: 404 } } }, "/daemon/rules/on_when_on"],
    ["world.schema.json", { cloud: { vapps: { a: { vms: { x: { cpu: 1 } } } } } }, "/vms/x"],
    ["faults.schema.json", { faults: [{ on: "GET /x", change: { sink: {} } }] }, "/change"],
  ])("finds what is wrong in a document of %s", (file, value, place) => {
    const problems = problemsOf(file, value);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(place);
  });
});

test("each change is made by exactly one simulator", () => {
  const made = [daemonChanges, cloudChanges, managerChanges, applianceChanges].flatMap((table) =>
    Object.keys(table),
  );
  const { definitions } = readSchema("simulator/control.schema.json") as {
    readonly definitions: { readonly WorldChange: { readonly properties: object } };
  };
  expect(made.toSorted()).toEqual(Object.keys(definitions.WorldChange.properties).toSorted());
});
