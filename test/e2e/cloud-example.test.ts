/**
 * The example of the cloud, from a clean folder to its end: twelve VMs of three vApps are moved,
 * and what each run sends is what it may send. In every dialect that servers speak.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { CloudDocument } from "../../src/simulators/cloud/world/world-document.ts";
import type { Written } from "../../src/simulators/kit/document.ts";
import type { CloudRules } from "../../src/simulators/kit/generated/documents.ts";
import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import { some } from "../helpers/amount.ts";
import { statesOf } from "./cloud-kill-bench.ts";
import { type CloudPlace, createCloudPlace, isMutation, users } from "./cloud-place.ts";
import { comparePreviewed, type ShownOperation } from "./previewed.ts";

const example = new URL("../../examples/cloud/", import.meta.url);
const configuration = readFileSync(new URL("main.vmform.yaml", example), "utf8");
const { cloud } = parse(readFileSync(new URL("world.yaml", example), "utf8")) as {
  readonly cloud: CloudDocument;
};
const allow = ["--allow", "power-cycle,power-off"];

const variants: readonly (readonly [string, Written<CloudRules>])[] = [
  ["in the specification's words", {}],
  ["in the vendor's words", { dialect: "vendor" }],
  [
    "with prefixes, and links to a host that nobody reaches",
    { dialect: "vendor", xml: "prefixed", public_url: "https://inside.example:8443" },
  ],
  [
    "with prefixes, short pages, and tasks that tell no progress",
    { xml: "prefixed", page_size_max: 3, progress: "absent", recent_success_tasks: "listed" },
  ],
];

let place: CloudPlace;
afterEach(() => place.remove());

/** The example as it stands, but with a cloud that can be looked into. */
function writeExample(edit: (text: string) => string = (text) => text): void {
  const { cloud: origin } = place.simulators.origins;
  const text = configuration
    .replace(/^ *simulator: .*\n/m, "")
    .replace(/^ *state: .*\n/m, "")
    .replace(/password: \{.*\}/, "password: { env: CLOUD_PASSWORD }")
    .replace("https://cloud.example.com", origin);
  expect(text).toContain(origin);
  writeFileSync(place.file("main.vmform.yaml"), edit(text));
}

describe.each(some(variants, 1))("%s", (_name, rules) => {
  test("it converges by what its plan showed, and destroying only forgets", async () => {
    place = await createCloudPlace({ ...cloud, users, rules });
    writeExample();
    await place.run(2, "plan", "--detailed-exitcode", "--out", place.file("a.plan"), ...allow);
    const { stdout } = await place.run(0, "show", place.file("a.plan"), "--json");
    const { operations } = JSON.parse(stdout) as { operations: readonly ShownOperation[] };
    const sent = await place.logged(() => place.run(0, "apply", place.file("a.plan")));
    const mutations = sent.filter(isMutation);
    expect(comparePreviewed(operations, mutations.map(asShown))).toEqual([]);
    expect(mutations.filter(({ refused }) => refused)).toEqual([]);
    expect(mutations.filter(({ path }) => path.endsWith("/action/relocate"))).toHaveLength(12);
    expectAlone();
    expectConverged();
    await place.run(0, "plan", "--detailed-exitcode");
    await place.run(0, "drift");
    expect((await place.run(0, "state", "list")).stdout.split("\n")).toHaveLength(14);
    await destroy();
  });
});

/** Destroying removes the snapshot, turns off the one VM that asks for it, and forgets all. */
async function destroy(): Promise<void> {
  const before = vmStates();
  writeExample((text) => text.replace("name: db-1\n", "name: db-1\n    on_destroy: power_off\n"));
  const recorded = await place.logged(() => place.run(0, "apply", "--auto-approve"));
  expect(recorded.filter(isMutation)).toEqual([]);
  const sent = await place.logged(() => place.run(0, "destroy", "--auto-approve"));
  const db = place.pathOf("db-1");
  expect(sent.filter(isMutation).map(({ method, path }) => `${method} ${path}`)).toEqual([
    `POST ${db}/action/removeAllSnapshots`,
    `POST ${db}/action/undeploy`,
  ]);
  const off = { ...before["db-1"], power: "off", deployed: false, snapshot: false };
  expect(vmStates()).toEqual({ ...before, "db-1": off });
  expect((await place.run(0, "state", "list")).stdout).toBe("");
}

const keys = [1, 2, 3, 4].flatMap((n) => [`web-${n}`, `app-${n}`, `db-${n}`]);

function vmStates(): ReturnType<typeof statesOf> {
  return statesOf(place.simulators.world().cloud, keys);
}

function expectConverged(): void {
  const on = {
    ...{ power: "on", deployed: true, datastore: "ssd-01", nested: false, snapshot: false },
  };
  const off = { ...on, power: "off", deployed: false };
  expect(vmStates()).toEqual({
    ...{ "web-1": on, "web-2": on, "web-3": on, "web-4": on },
    ...{ "app-1": on, "app-2": off, "app-3": off, "app-4": on },
    "db-1": { ...on, nested: true, snapshot: true },
    "db-2": { ...off, datastore: "hdd-01", nested: true },
    "db-3": off,
    "db-4": { ...off, power: "suspended", datastore: "hdd-01" },
  });
}

/** Tasks of one vApp came one after the other; those of different vApps did not wait. */
function expectAlone(): void {
  const tasks = place.simulators.world().cloud.tasks.map(({ vappId, startMs, ended }) => {
    return { vappId, startMs, endMs: ended?.atMs ?? Number.POSITIVE_INFINITY };
  });
  const overlaps = tasks.flatMap((one, index) =>
    tasks
      .slice(index + 1)
      .filter((two) => one.startMs < two.endMs && two.startMs < one.endMs)
      .map((two) => one.vappId === two.vappId),
  );
  expect(new Set(overlaps)).toEqual(new Set([false]));
}

/** Previews are in the specification's words. */
function asShown(entry: LoggedRequest): LoggedRequest {
  return { ...entry, body: entry.body.replaceAll(/xmlns="[^"]*"/g, 'xmlns="{xml_namespace}"') };
}
