/** `vmform graph`, `schema`, `eval` and `fmt` on the command line. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compileSchema } from "../../../src/lib/schema/schema.ts";
import type { WorldSource } from "../../../src/simulators/world.ts";
import { type Workplace, workplace } from "./command-line.ts";

const world: WorldSource = { daemon: { vms: { base: { power: "off" } } } };
const main = `providers: { daemon: { url: "DAEMON" } }
variables:
  token: { type: string, default: hunter2, sensitive: true }
locals: { names: [a, b], secret: "\${vars.token}" }
resources:
  daemon_vm.base: { id: base }
  daemon_vm.web:
    for_each: "\${locals.names}"
    id: "web-\${each.key}"
    parent_id: "\${daemon_vm.base.id}"
imports: [{ to: daemon_vm.base, id: base }]
`;

async function started(): Promise<Workplace> {
  const place = await workplace(world);
  place.write({ "main.vmform.yaml": main });
  return place;
}

describe("graph", () => {
  test("of resources needs no server", async () => {
    const place = await started();
    const requests = place.daemon.log().length;
    const dot = await place.run("graph");
    expect(dot).toMatchObject({ code: 0, stderr: "" });
    expect(dot.stdout).toContain('"daemon_vm.web" -> "daemon_vm.base";');
    const mermaid = await place.run("graph", "--format", "mermaid");
    expect(mermaid.stdout).toContain("n1 --> n0");
    expect(place.daemon.log()).toHaveLength(requests);
  });

  test("of operations reads, and prints nothing but the graph", async () => {
    const place = await started();
    const { code, stdout } = await place.run("graph", "--type", "operations");
    expect(code).toBe(0);
    expect(stdout.startsWith("digraph operations {\n")).toBe(true);
    expect(stdout.endsWith("}\n")).toBe(true);
    expect(stdout).toContain('daemon_vm.web[\\"a\\"]#clone.1');
    expect(place.daemon.log().some((entry) => entry.class === "mutate")).toBe(false);
    const data = await place.json("graph", "--type", "operations");
    expect(data).toMatchObject({ graph: "operations", groups: [] });
    const target = ["--target", 'daemon_vm.web["a"]'];
    const one = await place.run("graph", "--type", "operations", ...target);
    expect(one.stdout).not.toContain('web[\\"b\\"]');
  });

  test("a form that there is not is refused", async () => {
    const place = await started();
    expect(await place.run("graph", "--format", "svg")).toMatchObject({ code: 1, stdout: "" });
  });

  test("a broken configuration is told", async () => {
    const place = await started();
    place.write({ "more.vmform.yaml": "resources: { daemon_vm.x: {} }\n" });
    const { code, stdout, stderr } = await place.run("graph");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("CFG018");
  });
});

describe("schema", () => {
  const root = new URL("../../../schemas/", import.meta.url);
  const shipped = (name: string): unknown =>
    JSON.parse(readFileSync(new URL(`${name}.schema.json`, root), "utf8"));

  test.each([
    [[], "vmform"],
    [["--strict"], "config"],
    [["daemon_vm", "--strict"], "resources/daemon_vm"],
  ])("%j is %s", async (words, name) => {
    const place = await started();
    const { code, stdout } = await place.run("schema", ...words);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(shipped(name));
    expect(await place.json("schema", ...words)).toEqual(shipped(name));
  });

  test("of one type, as written, stands alone", async () => {
    const place = await started();
    const check = compileSchema(JSON.parse((await place.run("schema", "daemon_vm")).stdout));
    expect(check({ id: "a", power: "${vars.x}", count: 2, lifecycle: {} })).toEqual([]);
    expect(check({ id: "a", powr: "on" })).not.toEqual([]);
    expect(check({ power: "on" })).not.toEqual([]);
  });

  test("of an unknown type is refused", async () => {
    const place = await started();
    for (const words of [["daemon_wm"], ["daemon_wm", "--strict"]]) {
      const { code, stderr } = await place.run("schema", ...words);
      expect(code).toBe(1);
      expect(stderr).toContain("Did you mean daemon_vm?");
    }
  });
});

describe("eval", () => {
  test("knows the configuration, what is recorded and what is not", async () => {
    const place = await started();
    expect((await place.run("eval", 'locals.names[0] + "x"')).stdout).toBe('"ax"\n');
    expect((await place.run("eval", "daemon_vm.base.power_state")).stdout).toBe(
      "(known after apply)\n",
    );
    await place.run("import", "daemon_vm.base", "base");
    expect((await place.run("eval", "daemon_vm.base.power_state")).stdout).toBe('"off"\n');
    expect((await place.run("eval", "daemon_vm.base.ip_address")).stdout).toBe(
      "(known after apply)\n",
    );
    expect((await place.run("eval", "power is ${daemon_vm.base.power_state}")).stdout).toBe(
      '"power is off"\n',
    );
  });

  test("as data", async () => {
    const place = await started();
    expect(await place.json("eval", "locals.names")).toEqual({
      format_version: "1.0",
      known: true,
      sensitive: false,
      value: ["a", "b"],
    });
    expect(await place.json("eval", "daemon_vm.base.tag")).toEqual({
      format_version: "1.0",
      known: false,
      sensitive: false,
    });
    expect(await place.json("eval", "vars.token")).toEqual({
      format_version: "1.0",
      known: true,
      sensitive: true,
    });
  });

  test("keeps secrets", async () => {
    const place = await started();
    for (const expression of ["vars.token", 'vars.token + "x"', "{'a': vars.token}"]) {
      const { stdout, stderr } = await place.run("eval", expression);
      expect(stdout).toBe("(sensitive value)\n");
      expect(stderr).toBe("");
    }
  });

  test("a mistake is shown with a caret, and exits with 1", async () => {
    const place = await started();
    const { code, stdout, stderr } = await place.run("eval", "locals.names + locals.nams");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("expression:1:16: error");
    expect(stderr).toContain(`  1 | locals.names + locals.nams\n    | ${" ".repeat(15)}^\n`);
    expect(stderr).toContain("Did you mean locals.names?");
  });
});

describe("fmt", () => {
  const untidy = "resources:\n      daemon_vm.x:   {id: x}   # kept\n";
  const tidy = "resources:\n  daemon_vm.x: { id: x } # kept\n";

  test("changes white space, names what it changed, and is done after once", async () => {
    const place = await started();
    place.write({ "untidy.vmform.yaml": untidy, "other.yaml": untidy });
    const path = (name: string): string => join(place.folder, name);
    const check = await place.run("fmt", "--check");
    expect(check).toMatchObject({ code: 1, stdout: `${path("untidy.vmform.yaml")}\n` });
    expect(readFileSync(path("untidy.vmform.yaml"), "utf8")).toBe(untidy);
    const formatted = await place.run("fmt");
    expect(formatted).toMatchObject({ code: 0, stdout: `${path("untidy.vmform.yaml")}\n` });
    expect(readFileSync(path("untidy.vmform.yaml"), "utf8")).toBe(tidy);
    place.write({ "night.vmformpolicy.yaml": "policies:   {}\n" });
    const policies = await place.run("fmt");
    expect(policies.stdout).toContain("night.vmformpolicy.yaml");
    expect(await place.run("fmt", "--check")).toMatchObject({ code: 0, stdout: "" });
    // A file of another name only when it is named.
    expect(readFileSync(path("other.yaml"), "utf8")).toBe(untidy);
    expect(await place.json("fmt", path("other.yaml"))).toEqual({
      format_version: "1.0",
      changed: [path("other.yaml")],
      looked: 1,
    });
    expect(readFileSync(path("other.yaml"), "utf8")).toBe(tidy);
  });

  test("a file with errors is left as it is, and the others are not", async () => {
    const place = await started();
    const broken = "resources:\n   daemon_vm.y: { id: [ }\n";
    place.write({ "broken.vmform.yaml": broken, "untidy.vmform.yaml": untidy });
    const { code, stderr } = await place.run("fmt");
    expect(code).toBe(1);
    expect(stderr).toContain("broken.vmform.yaml:2:");
    expect(readFileSync(join(place.folder, "broken.vmform.yaml"), "utf8")).toBe(broken);
    expect(readFileSync(join(place.folder, "untidy.vmform.yaml"), "utf8")).toBe(tidy);
  });

  test("a file that is not there is an error", async () => {
    const place = await started();
    expect(await place.run("fmt", join(place.folder, "nothing.yaml"))).toMatchObject({ code: 1 });
  });
});
