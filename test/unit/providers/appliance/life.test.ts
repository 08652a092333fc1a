/**
 * The storage of an appliance through the commands that people use: adopted, grown, left alone,
 * refused, grown after a reply that never came.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { onlyInLongRun } from "../../../helpers/amount.ts";
import { type Workplace, workplace } from "../../commands/command-line.ts";
import {
  type ApplianceScript,
  restError,
  type ScriptedAppliance,
  shown65,
  startAppliance,
} from "./scripted-appliance.ts";

let appliance: ScriptedAppliance;
let place: Workplace;
afterEach(() => appliance.close());

async function start(script: ApplianceScript = {}): Promise<void> {
  appliance = await startAppliance(script);
  place = await workplace();
  writeFileSync(join(place.folder, "secret"), "pass&word\n");
}

function provider(): string {
  const secret = join(place.folder, "secret");
  const settings = `url: "${appliance.server.origin}", user: a, password: { file: "${secret}" }`;
  return `providers: { appliance: { ${settings} } }\n`;
}

function write(sizes: string, more = ""): void {
  const storage = `appliance_storage.a: { sizes_gb: ${sizes}${more} }`;
  const text = `${provider()}resources: { ${storage} }\n`;
  place.write({ "main.vmform.yaml": text });
}

const resizes = () => appliance.asked().filter((one) => one.startsWith("POST"));

async function apply(): Promise<string> {
  const { code, stdout, stderr } = await place.run("apply", "--auto-approve");
  if (code !== 0) throw new Error(`exit ${code}: ${stdout}${stderr}`);
  return stdout;
}

async function plan(): Promise<string> {
  const { stdout, stderr } = await place.run("plan");
  return stdout + stderr;
}

test("what is there is adopted without a request, and stays so", async () => {
  await start();
  write("{ core: 25, root: 12, vmdk12: 100 }");
  expect(await plan()).toContain("1 to adopt");
  await apply();
  expect(await plan()).toContain("No changes.");
  expect((await place.run("drift")).code).toBe(0);
  expect(resizes()).toEqual([]);
});

test.each([
  ["6.5", "/rest/appliance/system/storage/resize"],
  ["6.7", "/rest/appliance/system/storage?action=resize-ex"],
  ["7.0", "/api/appliance/system/storage?action=resize-ex"],
] as const)(
  "one resize of release %s for all that is to grow, and none again",
  async (release, path) => {
    await start({ release, grown: { core: 48.96, log: 19.48 } });
    write('{ core: 50, "5": 20, db: 10 }');
    const planned = await place.run("plan", "--requests");
    expect(planned.stdout).toContain(`POST ${path}`);
    expect(planned.stdout).toContain("5 to 20 GB, core to 50 GB");
    await apply();
    expect(resizes()).toEqual([`POST ${path}`]);
    expect(await plan()).toContain("No changes.");
    expect((await place.run("drift")).code).toBe(0);
    // Leaving the configuration forgets it, and sends nothing.
    place.write({ "main.vmform.yaml": "resources: {}\n" });
    await place.run("apply", "--auto-approve");
    expect(resizes()).toHaveLength(1);
  },
);

test("a later wish is compared with the one before, however small the difference", async () => {
  await start({ grown: { core: 24.97 } });
  write("{ core: 25 }");
  await apply();
  write("{ core: 25.5 }");
  await apply();
  expect(resizes()).toHaveLength(1);
  expect(await plan()).toContain("No changes.");
});

test("a smaller wish is refused with both numbers, and nothing is sent", async () => {
  await start();
  write("{ core: 25 }");
  await apply();
  write("{ core: 20 }");
  const { code, stderr, stdout } = await place.run("apply", "--auto-approve");
  expect(code).toBe(1);
  expect(stdout + stderr).toMatch(/APL004/);
  expect(stdout + stderr).toMatch(/core is to have 20 GB, and it was asked to have 25 GB/);
  expect(resizes()).toEqual([]);
});

test.each([
  ["{ cores: 25 }", "did you mean core?"],
  ["{ packages: 2 }", "no mount point"],
  ["{ 2: 2 }", "no mount point"],
  ["{ lifecycle: 100 }", "names no partition"],
  ["{ core: 50, vmdk4: 60 }", "are one disk"],
])("%s is refused while planning", async (sizes, words) => {
  await start();
  write(sizes);
  expect((await plan()).replaceAll(/\s+/g, " ")).toContain(words);
  expect(resizes()).toEqual([]);
});

describe("without sizes", () => {
  const untold: ApplianceScript["handle"] = ({ url }) =>
    url.includes("monitoring") ? restError(404, "not_found") : undefined;

  test("it is said that nothing will be seen, and the reply alone counts", async () => {
    await start({ handle: untold });
    write("{ core: 50 }");
    expect(await plan()).toContain("Growth cannot be verified");
    await apply();
    expect(resizes()).toHaveLength(1);
    expect(await plan()).toContain("No changes.");
    expect((await place.run("drift")).code).toBe(0);
  });
});

describe("a reply that does not come", () => {
  test.each(["reset", "hang"] as const)("is no failure: %s", async (answer) => {
    const handle: ApplianceScript["handle"] = ({ url }) => {
      if (!url.includes("resize")) return undefined;
      appliance.state.shown = { ...shown65, core: 48.96 };
      return answer;
    };
    await start({ handle });
    write("{ core: 50 }", ", timeouts: { update: 1s }");
    await apply();
    expect(resizes()).toHaveLength(1);
    expect(await plan()).toContain("No changes.");
  });

  test("of a resize without effect: none is sent while that may run", onlyInLongRun, async () => {
    let answer: "reset" | undefined = "reset";
    const handle: ApplianceScript["handle"] = ({ url }) =>
      url.includes("resize") ? answer : undefined;
    await start({ handle, grown: { core: 48.96 } });
    write("{ core: 50 }", ", timeouts: { update: 1s }");
    expect((await place.run("apply", "--auto-approve")).code).toBe(1);
    answer = undefined;
    const next = await place.run("apply", "--auto-approve");
    expect(next.code).toBe(1);
    expect(`${next.stdout}${next.stderr}`).toContain("APL011");
    expect(resizes()).toHaveLength(1);
    // The way out that it names.
    expect((await place.run("state", "rm", "appliance_storage.a")).code).toBe(0);
    await apply();
    expect(resizes()).toHaveLength(2);
    expect(await plan()).toContain("No changes.");
  });
});

test(
  "a disk that was not grown leaves the wish open, and says what is shown",
  onlyInLongRun,
  async () => {
    await start();
    write("{ core: 50 }", ", timeouts: { update: 1s }");
    const { code, stdout, stderr } = await place.run("apply", "--auto-approve");
    expect(code).toBe(1);
    expect((stdout + stderr).replaceAll(/\s+/g, " ")).toMatch(
      /filesystems_gb of core is 24\.48, which is less.*is VMDK4 \(core\) as large as wanted\?/,
    );
    expect(await plan()).toContain("1 to change");
  },
);

test("what somebody else has grown is drift, and is not undone", async () => {
  await start();
  write("{ core: 25 }");
  await apply();
  appliance.state.shown = { ...shown65, core: 48.96 };
  const drift = await place.run("drift");
  expect(drift.code).toBe(2);
  expect(drift.stdout).toContain("filesystems_gb");
  await apply();
  expect(resizes()).toEqual([]);
  // It stays drift until somebody accepts it.
  expect((await place.run("drift")).code).toBe(2);
  await place.run("apply", "--refresh-only", "--auto-approve");
  expect(resizes()).toEqual([]);
  expect((await place.run("drift")).code).toBe(0);
});

test("it is imported without a configuration of sizes", async () => {
  await start();
  place.write({ "main.vmform.yaml": provider() });
  const file = join(place.folder, "found.vmform.yaml");
  expect((await place.run("import", "--all", "appliance_storage", "--out", file)).code).toBe(0);
  await apply();
  expect(await plan()).toContain("No changes.");
  expect(resizes()).toEqual([]);
});

test("its partitions can be referred to", async () => {
  await start({ partitions: [["4", "core"]] });
  place.write({
    "main.vmform.yaml": `${provider()}data: { appliance_storage.a: {} }
outputs:
  core: { value: "\${data.appliance_storage.a.filesystems_gb.core}" }
  disks: { value: "\${data.appliance_storage.a.partitions.map(p, p.disk + '=' + p.purpose)}" }
`,
  });
  await apply();
  const shown = await place.run("output", "--json");
  expect(shown.stdout).toContain("24.48");
  expect(shown.stdout).toContain("4=core");
});
