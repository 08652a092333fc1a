/** What is written for other programs, before these programs: reports of drift, plans, drawings. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compileSchema } from "../../src/lib/schema/schema.ts";
import { createPlace } from "../e2e/place.ts";
import { onlyInLongRun } from "../helpers/amount.ts";
import { drawings, lacksPython, lacksReaders, pythonScript, sarifMultitool } from "./clients.ts";

const root = new URL("../../", import.meta.url).pathname;
const golden = join(root, "test", "golden");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vmform-reports-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** This form of every accepted drift report, by the name of the report. */
function driftReports(form: string): readonly (readonly [name: string, file: string])[] {
  const drift = join(golden, "render", "drift");
  const reports = readdirSync(drift).map((name) => [name, join(drift, name, form)] as const);
  expect(reports.length).toBeGreaterThan(4);
  return reports;
}

function json(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Whether a program that nothing installs is there; says loudly if not. */
function isThere(program: string, ...words: readonly string[]): boolean {
  const isFound = spawnSync(program, words, { stdio: "ignore" }).status === 0;
  if (!isFound) console.warn(`!! ${program} is not there, and what is tested with it is skipped`);
  return isFound;
}

type Log = {
  readonly runs: readonly {
    readonly results: readonly {
      readonly ruleId: string;
      readonly level?: string;
      readonly locations: readonly {
        readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } };
      }[];
    }[];
  }[];
};

describe.skipIf(lacksReaders)("SARIF multitool", () => {
  /** What it says of these reports: of which, by which rule. */
  async function saidOf(...files: readonly string[]): Promise<readonly string[]> {
    const log = join(mkdtempSync(join(folder, "sarif-")), "log.sarif");
    const { code, stderr } = await sarifMultitool(files, log);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { runs } = json(log) as Log;
    return runs.flatMap(({ results }) =>
      results.map(({ ruleId, locations: [at] }) => {
        const uri = at?.physicalLocation.artifactLocation.uri ?? "";
        return `${basename(dirname(uri))} ${ruleId}`;
      }),
    );
  }

  test(
    "has nothing to say but that nobody's address stands in a report, and would",
    onlyInLongRun,
    async () => {
      // It passes in silence over what it cannot read: that it says so of each shows that it was read.
      const reports = driftReports("drift.sarif").filter(([name]) => name !== "fleet");
      const wrong = mkdtempSync(join(folder, "wrong-"));
      const report = readFileSync(reports.find(([name]) => name === "mixed")?.[1] ?? "", "utf8");
      writeFileSync(join(wrong, "w.sarif"), report.replace(/"ruleIndex": \d+/, '"ruleIndex": 99'));
      const said = await saidOf(...reports.map(([, file]) => file), join(wrong, "w.sarif"));
      const names = [...reports.map(([name]) => name), basename(wrong)];
      const expected = [
        ...names.map((name) => `${name} SARIF2005`),
        `${basename(wrong)} SARIF1009`,
      ];
      expect(said.toSorted()).toEqual(expected.toSorted());
    },
  );
});

describe.skipIf(lacksPython)("junitparser", () => {
  type Read = { readonly [name: string]: readonly unknown[] };

  test("counts the cases of drift that the reports themselves count", async () => {
    const files = driftReports("drift.junit.xml").map(([, file]) => file);
    const read = (await pythonScript("reports.py", "junit", ...files)) as readonly Read[];
    expect(read).toHaveLength(files.length);
    for (const { said, counted } of read) expect(said).toEqual(counted);
    const mixed = read[files.findIndex((file) => file.includes("/mixed/"))];
    expect(mixed?.failed?.length).toBeGreaterThan(0);
    expect(mixed?.wrong?.length).toBeGreaterThan(0);
    expect(mixed?.skipped?.length).toBeGreaterThan(0);
  });

  test("counts the tests of a configuration", async () => {
    const place = await createPlace();
    try {
      place.write('  daemon_vm.a: { id: a, tag: "<\\u0007>" }');
      const run = (name: string, condition: string): string =>
        `  - { name: "${name}", expect: { assertions: [{ condition: ${condition} }] } }`;
      const runs = [run("one & <two>", "true"), run("three", "false")];
      writeFileSync(place.file("some.vmformtest.yaml"), `runs:\n${runs.join("\n")}\n`);
      await place.run(1, "test", "--junit", place.file("tests.xml"));
      const [read] = (await pythonScript(
        "reports.py",
        "junit",
        place.file("tests.xml"),
      )) as readonly Read[];
      expect(read?.said).toEqual(read?.counted);
      expect(read?.failed).toEqual(["three"]);
    } finally {
      await place.remove();
    }
  });
});

describe.skipIf(lacksPython)("Prometheus", () => {
  test("its client reads each metric with its kind and its meaning", async () => {
    const files = driftReports("drift.prom").map(([, file]) => file);
    const read = (await pythonScript("reports.py", "metrics", ...files)) as readonly {
      readonly [metric: string]: { readonly type: string; readonly help: string };
    }[];
    const page = readFileSync(join(root, "docs", "drift.md"), "utf8");
    const documented = [...page.matchAll(/^\| `(vmform_\w+)`/gm)].map(([, name = ""]) => name);
    for (const metrics of read) {
      expect(Object.keys(metrics).toSorted()).toEqual(documented.toSorted());
      for (const { type, help } of Object.values(metrics)) {
        expect({ type, help }).toEqual({ type: "gauge", help: expect.stringMatching(/\.$/) });
      }
    }
  });
});

const lacksPromtool = !isThere("promtool", "--version");
test.skipIf(lacksPromtool).each(driftReports("drift.prom"))("promtool checks %s", (_name, file) => {
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], {
    input: readFileSync(file),
    encoding: "utf8",
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
});

/**
 * What GitLab asks of a finding: its `app/validators/json_schemas/codeclimate.json`, and the members
 * and severities that the page on code quality of its documentation demands.
 */
const codeQuality = compileSchema({
  type: "array",
  items: {
    type: "object",
    required: ["description", "check_name", "fingerprint", "severity", "location"],
    properties: {
      description: { type: "string" },
      check_name: { type: "string" },
      fingerprint: { type: "string", minLength: 1 },
      severity: { enum: ["info", "minor", "major", "critical", "blocker"] },
      location: {
        type: "object",
        required: ["path", "lines"],
        // Relative to the repository, without `./` before it.
        properties: {
          path: { type: "string", not: { pattern: "^(?:\\./|/)" } },
          lines: {
            type: "object",
            required: ["begin"],
            properties: { begin: { type: "integer", minimum: 1 } },
          },
        },
      },
    },
  },
});

test.each(driftReports("drift.gitlab.json"))("GitLab takes the findings of %s", (_name, file) => {
  const findings = json(file) as readonly { readonly fingerprint: string }[];
  expect(codeQuality(findings)).toEqual([]);
  const fingerprints = findings.map(({ fingerprint }) => fingerprint);
  expect(new Set(fingerprints).size).toBe(fingerprints.length);
});

/** Plans, and what the policy of docs/recipes.md denies of each. */
const policyPlans = ["every-action", "power-cycle", "no-changes"];
const recipes = join(root, "docs", "recipes.md");

describe.skipIf(lacksPython)("regopy", () => {
  test("denies by the policy of the recipe what is deleted, and nothing else", async () => {
    const plans = policyPlans.map((name) => join(golden, "render", name, "plan.json"));
    expect(await pythonScript("reports.py", "policy", recipes, ...plans)).toEqual([
      ["daemon_vm.again is deleted", "daemon_vm.gone is deleted"],
      [],
      [],
    ]);
  });
});

const lacksConftest = !isThere("conftest", "--version");
test.skipIf(lacksConftest).each(policyPlans)("conftest judges %s as the recipe says", (name) => {
  const policy = mkdtempSync(join(folder, "policy-"));
  const rules = /^```rego\n(.*?)^```/ms.exec(readFileSync(recipes, "utf8"))?.[1] ?? "";
  writeFileSync(join(policy, "power.rego"), rules);
  const plan = join(golden, "render", name, "plan.json");
  const words = ["test", plan, "--policy", policy, "--no-color"];
  const { status, stdout } = spawnSync("conftest", words, { encoding: "utf8" });
  expect({ status, stdout }).toMatchObject({ status: name === "every-action" ? 1 : 0 });
});

describe.skipIf(lacksReaders)("drawings", () => {
  test("Graphviz draws them, and Mermaid reads them", onlyInLongRun, async () => {
    const names = readdirSync(join(golden, "drawings")).filter((name) =>
      /\.(?:dot|mmd)$/.test(name),
    );
    expect(names.length).toBeGreaterThan(5);
    const read = await drawings(names.map((name) => join(golden, "drawings", name)));
    for (const [index, said] of (read as readonly (string | readonly string[])[]).entries()) {
      const name = names[index] ?? "";
      if (name.endsWith(".mmd")) expect(said).toBe("flowchart-v2");
      else {
        const data = json(join(golden, "drawings", name.replace(/dot$/, "json")));
        const { nodes } = data as { readonly nodes: readonly { readonly id: string }[] };
        const drawn = (said as readonly string[]).filter((one) => !one.startsWith("cluster_"));
        expect(drawn).toEqual(nodes.map(({ id }) => id));
      }
    }
  });

  test("whatever things are called", onlyInLongRun, async () => {
    const keys = ['"', "\\", "<b>", "a]b", "#quot;", "%%", "end", "ü{}", "x --> y", "`", "|", ";"];
    const place = await createPlace();
    try {
      const list = JSON.stringify(keys);
      place.write(`  daemon_vm.a: { for_each: ${list}, id: "v-\${base64encode(each.key)}" }`);
      const files: string[] = [];
      for (const format of ["dot", "mermaid"]) {
        const { stdout } = await place.run(0, "graph", "--type", "operations", "--format", format);
        files.push(place.file(`drawing.${format === "dot" ? "dot" : "mmd"}`));
        writeFileSync(files.at(-1) ?? "", stdout);
      }
      const [nodes, kind] = (await drawings(files)) as readonly (string | readonly string[])[];
      expect(nodes).toHaveLength(keys.length);
      expect(kind).toBe("flowchart-v2");
    } finally {
      await place.remove();
    }
  });
});
