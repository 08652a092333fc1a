/** `vmform.state` was changed and nothing was brought along: nothing is made a second time. */

import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { recordedElsewhere } from "../../src/commands/elsewhere.ts";
import { expectCode, type Output, runInside } from "../helpers/program.ts";
import { recordedObject, recordedState } from "../helpers/recorded-builder.ts";
import { startStateServer } from "../stores/state-server.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vmform-elsewhere-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function configure(state: string): void {
  const resources = "resources: { noop_resource.a: { name: a }, noop_resource.b: { name: b } }\n";
  writeFileSync(join(folder, "main.vmform.yaml"), `vmform: { ${state} }\n${resources}`);
}

async function run(code: number, ...words: readonly string[]): Promise<Output> {
  return expectCode(code, words, await runInside(folder, words));
}

const other = "state: { local: { path: other/lab.json } }";

test("the default file has objects: a plan warns, the rest is refused, and it is told how to bring them along", async () => {
  configure("");
  await run(0, "apply", "--auto-approve");
  configure(other);
  const planned = await run(0, "plan");
  expect(planned.stderr).toContain("CLI054");
  expect(planned.stderr).toContain("2 objects are recorded at");
  const refused = await run(1, "apply", "--auto-approve");
  expect(refused.stderr).toContain("vmform state migrate --from state/default.json");
  expect(existsSync(join(folder, "other", "lab.json"))).toBe(false);
  for (const words of [
    ["destroy", "--auto-approve"],
    ["import", "noop_resource.a", "a"],
  ]) {
    expect((await run(1, ...words)).stderr).toContain("CLI054");
  }
});

test("once that file is moved away, another place is begun", async () => {
  configure("");
  await run(0, "apply", "--auto-approve");
  renameSync(join(folder, "state"), join(folder, "of-something-else"));
  configure(other);
  expect((await run(0, "apply", "--auto-approve")).stderr).toBe("");
  // Later on, what is at the default place is nobody's business.
  renameSync(join(folder, "of-something-else"), join(folder, "state"));
  expect((await run(0, "plan", "--detailed-exitcode")).stderr).toBe("");
});

test("a store is known by its mirror, until that is discarded", async () => {
  const server = await startStateServer("gitlab");
  try {
    configure(`state: { http: { address: "${server.address}" } }`);
    await run(0, "apply", "--auto-approve");
  } finally {
    await server.stop();
  }
  configure(other);
  const refused = await run(1, "apply", "--auto-approve");
  const said = refused.stderr.replaceAll(/\s+/g, " ");
  expect(said).toContain(`2 objects are recorded at ${server.address}`);
  const [, name = ""] = /vmform state mirror --discard (\S+)/.exec(said) ?? [];
  await run(0, "state", "mirror", "--discard", name);
  expect((await run(0, "apply", "--auto-approve")).stderr).toBe("");
});

const object = recordedObject("noop_resource.a");
const where = {
  directory: ".",
  location: "here",
  simulated: false,
  state: { kind: "local", path: "here", beside: "here" },
} as const;
const handover = { kind: "moved", other: "there", atMs: 1, who: "ann", host: "a" } as const;

test.each([
  { what: "objects", recorded: recordedState([object]), code: "CLI054" },
  { what: "none", recorded: recordedState([]), code: undefined },
  {
    what: "those of a simulator",
    recorded: recordedState([object], { simulated: true }),
    code: undefined,
  },
  {
    what: "what was moved elsewhere",
    recorded: recordedState([object], { handover }),
    code: undefined,
  },
])("another place that has $what: $code", async ({ recorded, code }) => {
  const recordedPlaces = () => Promise.resolve([{ location: "there", recorded }]);
  for (const isLocked of [true, false]) {
    const told = await recordedElsewhere({ recordedPlaces }, where, isLocked);
    expect(told?.code).toBe(code);
  }
  expect(await recordedElsewhere({}, where, true)).toBeUndefined();
});
