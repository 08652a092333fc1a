/**
 * `import --all` of whatever stands in a world: planning what was written imports everything and
 * changes nothing, applying it sends no change, and a second plan is empty.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { startSimulators } from "../../src/simulators/start.ts";
import { amount } from "../helpers/amount.ts";
import { type Output, runInside } from "../helpers/program.ts";
import { loggedDuring } from "./place-parts.ts";
import { estate } from "./random-estate.ts";

const environment = { PASSWORD: "s3cret" };
const users = [{ name: "admin", password: environment.PASSWORD }];

/**
 * A world has both a cloud and a host manager, and a configuration one of them: unlinked VMs of the
 * two may have one id, and would be taken for one machine.
 */
const providersOf = (origins: Origins, above: boolean): object => {
  const login = { user: "admin", password: { env: "PASSWORD" } };
  const cloud = { cloud: { url: origins.cloud, ...login, org: "system" } };
  const manager = {
    manager: { url: origins.manager, ...login },
    appliance: { url: origins.appliance, ...login },
  };
  return { daemon: { url: origins.daemon }, ...(above ? cloud : manager) };
};
type Origins = Awaited<ReturnType<typeof startSimulators>>["origins"];

type Estate = typeof estate extends fc.Arbitrary<infer Made> ? Made : never;

/** What importing everything came to, with the file that was written for whoever has to look. */
async function importAll(made: Estate, above: boolean, words: readonly string[]) {
  const { daemon, vapps, vms, alarms } = made;
  const datastores = { old: {}, fast: {}, hdd: {}, ssd: {} };
  const vcsa = { power: "on", disks: "appliance" } as const;
  const simulators = await startSimulators({
    world: {
      daemon,
      cloud: { users, datastores, vapps: { spare: { vms: { v: {} } }, ...vapps } },
      manager: { users, datastores, vms: { ...vms, vcsa }, alarms },
      appliance: { vm: "vcsa", users },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), "vmform-estate-"));
  const out = join(folder, "found.vmform.yaml");
  const run = async (...line: readonly string[]): Promise<Output> =>
    runInside(folder, line, { environment });
  try {
    const providers = providersOf(simulators.origins, above);
    writeFileSync(join(folder, "main.vmform.yaml"), JSON.stringify({ providers }));
    const outputs: Output[] = [];
    const requests = await loggedDuring(simulators, async () => {
      outputs.push(await run("import", "--all", ...words, "--out", out));
      outputs.push(await run("plan"));
      outputs.push(await run("apply", "--auto-approve"));
      outputs.push(await run("plan", "--detailed-exitcode"));
      outputs.push(await run("import", "--all"));
    });
    return {
      text: existsSync(out) ? readFileSync(out, "utf8") : "",
      outputs,
      mutations: requests.filter(({ class: kind }) => kind === "mutate").length,
    };
  } finally {
    await simulators.stop();
    rmSync(folder, { recursive: true });
  }
}

const expected = {
  codes: [0, 0, 0, 0, 0],
  planned: true,
  second: true,
  again: "",
  mutations: 0,
};

test("planning what is written imports all, and changes nothing", { timeout: 0 }, async () => {
  const property = fc.asyncProperty(
    estate,
    fc.boolean(),
    fc.boolean(),
    async (made, group, above) => {
      const words = group ? [] : ["--no-group"];
      const { text, outputs, mutations } = await importAll(made, above, words);
      const [, planned, , second, again] = outputs;
      const held = {
        codes: outputs.map(({ code }) => code),
        planned: planned?.stdout.includes("to import, 0 to add, 0 to change, 0 to destroy."),
        second: second?.stdout.includes("No changes."),
        again: again?.stdout,
        mutations,
      };
      const isHeld = isDeepStrictEqual(held, expected);
      // What was said and written is wanted only where something went wrong.
      expect(isHeld ? held : { ...held, outputs, text }).toEqual(expected);
    },
  );
  await fc.assert(property, { numRuns: amount(2, 25) });
});
