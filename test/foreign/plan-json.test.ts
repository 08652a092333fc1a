/**
 * The plan as data, before those who read it: the policy of docs/recipes.md is judged by Open Policy
 * Agent, and the shape is that of a plan which terraform itself shows. Each says so loudly where its
 * program is not on the `PATH`; `VMFORM_OPA` names the first elsewhere.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPlace } from "../e2e/place.ts";

const root = new URL("../../", import.meta.url).pathname;
const opa = found(process.env.VMFORM_OPA ?? "opa", ["version"]);
const terraform = found("terraform", ["version"]);

function found(program: string, words: readonly string[]): string | undefined {
  try {
    execFileSync(program, words, { stdio: "ignore" });
    return program;
  } catch {
    console.warn(`!! ${program} is not there, and what is tested with it is skipped`);
    return undefined;
  }
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vmform-plan-json-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Json = { readonly [name: string]: unknown };

function goldenPlan(name: string): string {
  return join(root, "test", "golden", "render", name, "plan.json");
}

describe.skipIf(opa === undefined)("Open Policy Agent", () => {
  /** What the policy of the recipe denies of a plan. */
  function denied(plan: string): readonly string[] {
    const page = readFileSync(join(root, "docs", "recipes.md"), "utf8");
    const policy = /^```rego\n(.*?)^```/ms.exec(page)?.[1] ?? "";
    expect(policy).toContain("package main");
    writeFileSync(join(folder, "power.rego"), policy);
    const words = ["eval", "--format", "json", "--input", plan, "--data", folder, "data.main.deny"];
    const said = JSON.parse(execFileSync(opa ?? "", words, { encoding: "utf8" })) as {
      readonly result: readonly { readonly expressions: readonly { readonly value: string[] }[] }[];
    };
    return said.result[0]?.expressions[0]?.value ?? ["nothing was judged"];
  }

  test("denies a plan that deletes VMs and turns several off", () => {
    const messages = denied(goldenPlan("every-action"));
    expect(messages.length).toBeGreaterThan(0);
    expect(messages.join("\n")).toMatch(/daemon_vm\.\S+ is deleted/);
  });

  test("one power cycle passes, two do not", () => {
    const plan = JSON.parse(readFileSync(goldenPlan("power-cycle"), "utf8")) as {
      readonly operations: readonly Json[];
    };
    expect(denied(goldenPlan("power-cycle"))).toEqual([]);
    const again = plan.operations.map((operation) => ({ ...operation, address: "daemon_vm.two" }));
    const twice = { ...plan, operations: [...plan.operations, ...again] };
    writeFileSync(join(folder, "twice.json"), JSON.stringify(twice));
    expect(denied(join(folder, "twice.json"))).toEqual([
      expect.stringContaining("2 VMs are turned off in one plan"),
    ]);
  });

  test("a plan without changes passes", () => {
    expect(denied(goldenPlan("no-changes"))).toEqual([]);
  });
});

const modules = `
resource "terraform_data" "a" { input = "x" }
resource "terraform_data" "m" {
  count = 2
  input = terraform_data.a.output
}
module "lab" { source = "./lab" }
output "o" { value = terraform_data.a.id }
`;

/** The same as a configuration of ours. */
async function ownPlan(): Promise<unknown> {
  const place = await createPlace();
  try {
    const child =
      "variables: {}\nresources:\n  daemon_vm.k: { for_each: { a: x }, id: '${each.value}' }\n";
    mkdirSync(place.file("lab"));
    writeFileSync(place.file("lab/main.vmform.yaml"), child);
    const more =
      "modules: { lab: { source: ./lab } }\noutputs: { o: { value: '${daemon_vm.a.power_state}' } }";
    const copies =
      "daemon_vm.m: { count: 2, id: 'm${count.index}', parent_id: '${daemon_vm.a.id}' }";
    place.write(`  daemon_vm.a: { id: a }\n  ${copies}`, more);
    await place.run(0, "plan", "--out", place.file("saved"));
    const { stdout } = await place.run(0, "show", place.file("saved"), "--json");
    return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  } finally {
    await place.remove();
  }
}

/** Kinds of all members that both documents can have, by their paths; elements of lists as one. */
function kindsOf(value: unknown, path: string, kinds: Map<string, Set<string>>): void {
  const kind = Array.isArray(value) ? "list" : value === null ? "null" : typeof value;
  kinds.set(path, (kinds.get(path) ?? new Set()).add(kind));
  if (Array.isArray(value)) for (const item of value) kindsOf(item, `${path}[]`, kinds);
  else if (value !== null && typeof value === "object") {
    for (const [name, item] of Object.entries(value)) {
      kindsOf(item, isNamed(path) ? `${path}.*` : `${path}.${name}`, kinds);
    }
  }
}

/** Members of these are names of a configuration. */
function isNamed(path: string): boolean {
  return /\.(?:outputs|output_changes|provider_config|values|before|after|after_unknown)$/.test(
    path,
  );
}

describe.skipIf(terraform === undefined)("terraform", () => {
  test("has each member of planned values and changes that we have, and of the same kind", async () => {
    mkdirSync(join(folder, "lab"));
    const child =
      'resource "terraform_data" "k" {\n  for_each = { a = 1 }\n  input = each.value\n}\n';
    writeFileSync(join(folder, "main.tf"), modules);
    writeFileSync(join(folder, "lab", "main.tf"), child);
    const run = (...words: readonly string[]): string => {
      const options = { cwd: folder, encoding: "utf8" } as const;
      const { status, stdout, stderr } = spawnSync(terraform ?? "", words, options);
      expect({ words, status, stderr: status === 0 ? "" : stderr }).toMatchObject({ status: 0 });
      return stdout;
    };
    run("init");
    run("plan", "-out", "saved");
    const theirs = new Map<string, Set<string>>();
    kindsOf(JSON.parse(run("show", "-json", "saved")), "", theirs);
    const ours = new Map<string, Set<string>>();
    kindsOf(await ownPlan(), "", ours);
    const named = [...theirs.keys()].filter((path) =>
      /^\.(?:planned_values|resource_changes|output_changes|configuration\.provider_config)/.test(
        path,
      ),
    );
    const lacking = named.filter((path) => !ours.has(path));
    expect(lacking.filter((path) => !/\.\*$|child_modules/.test(path))).toEqual([]);
    for (const path of named.filter((one) => !/\.\*|_sensitive$/.test(one) && ours.has(one))) {
      const [mine, known] = [ours.get(path) ?? new Set(), theirs.get(path) ?? new Set()];
      const shared = [...mine].filter((kind) => known.has(kind));
      expect({ path, shared: shared.length > 0 || mine.has("null") }).toEqual({
        path,
        shared: true,
      });
    }
  });
});
