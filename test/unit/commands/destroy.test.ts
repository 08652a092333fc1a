/** Destroying with a configuration that broke after its last apply, against a simulated daemon. */

import { expect, test } from "vitest";
import { DiagnosticError } from "../../../src/commands/environment.ts";
import { plannable } from "../../../src/commands/plan/plannable.ts";
import { unused } from "../../../src/config/load-destroy.ts";
import type { Keeping } from "../../../src/model/plan/desired.ts";
import { selectAll } from "../../../src/plan/input.ts";
import { address, recordedObject, recordedState } from "../../helpers/recorded-builder.ts";
import { type Workplace, workplace } from "./command-line.ts";

const provider = "providers: { daemon: { url: DAEMON } }\n";
const durations = { durations_ms: { create: 1, clone: 1, delete: 1 } };
const kept = "daemon_vm.kept: { id: kept, lifecycle: { prevent_destroy: true } }";
const pair = "daemon_vm.base: { id: base }, daemon_vm.copy: { id: copy, parent_id: base }";

async function applied(resources: string): Promise<Workplace> {
  const place = await workplace({ daemon: durations });
  place.write({ "main.vmform.yaml": `${provider}resources: { ${resources} }\n` });
  expect(await place.run("apply", "--auto-approve")).toMatchObject({ code: 0 });
  return place;
}

function ids({ daemon }: Workplace): readonly string[] {
  return daemon
    .world()
    .daemon.vms.map(({ id }) => id)
    .toSorted();
}

/** What was deleted, in order. */
function deleted({ daemon }: Workplace): readonly string[] {
  const log = daemon.log().filter(({ method }) => method === "DELETE");
  return log.map(({ path }) => path.replace(/^.*\//, ""));
}

test("the order is the recorded one, and all goes", async () => {
  const place = await applied(pair);
  const broken = "daemon_vm.base: { idd: base }, daemon_vm.copy: { id: '${vars.nothing}' }";
  place.write({ "main.vmform.yaml": `${provider}resources: { ${broken} }\n` });
  const destroy = await place.run("destroy", "--auto-approve");
  expect(destroy).toMatchObject({ code: 0 });
  expect(destroy.stderr.match(/CFG045/g)).toHaveLength(1);
  expect(deleted(place)).toEqual(["copy", "base"]);
});

test("a target takes along what depends on it", async () => {
  const place = await applied(`${pair}, daemon_vm.other: { id: other }`);
  place.write({ "main.vmform.yaml": `${provider}resources: { daemon_vm.base: { idd: 1 } }\n` });
  const unknown = await place.run("destroy", "--auto-approve", "--target", "daemon_vm.bas");
  expect(unknown).toMatchObject({ code: 1 });
  expect(unknown.stderr).toContain("daemon_vm.bas");
  const destroy = await place.run("destroy", "--auto-approve", "--target", "daemon_vm.base");
  expect(destroy).toMatchObject({ code: 0 });
  expect(ids(place)).toEqual(["other"]);
});

test("what a target names and is gone is no reason to say that nothing is recorded", async () => {
  const each = "daemon_vm.each: { for_each: { a: 1, b: 2 }, id: '${each.key}' }";
  const place = await applied(each);
  for (const says of ["1 destroyed", "Of the one object recorded, none is selected"]) {
    const target = ["--target", 'daemon_vm.each["a"]'];
    const destroy = await place.run("destroy", "--auto-approve", ...target);
    expect(destroy).toMatchObject({ code: 0 });
    expect(destroy.stdout).toContain(says);
  }
  expect(ids(place)).toEqual(["b"]);
});

test("what was protected when it was applied stays, until a sound configuration lifts it", async () => {
  const place = await applied(`${kept}, daemon_vm.other: { id: other }`);
  const recorded = JSON.stringify(await place.json("state", "show", "daemon_vm.kept"));
  expect(recorded).toContain('"prevent_destroy":true');
  for (const broken of ["daemon_vm.kep: { idd: kept }", "daemon_vm.kept: { idd: kept }"]) {
    place.write({ "main.vmform.yaml": `${provider}resources: { ${broken} }\n` });
    const destroy = await place.run("destroy", "--auto-approve");
    expect(destroy).toMatchObject({ code: 1 });
    expect(destroy.stdout).toContain("PLN007");
    expect(ids(place)).toEqual(["kept", "other"]);
  }
  const partial = await place.run("destroy", "--auto-approve", "--allow-partial");
  expect(partial).toMatchObject({ code: 1 });
  expect(ids(place)).toEqual(["kept"]);
  place.write({ "main.vmform.yaml": `${provider}resources: { daemon_vm.kept: { id: kept } }\n` });
  expect(await place.run("destroy", "--auto-approve")).toMatchObject({ code: 0 });
  expect(ids(place)).toEqual([]);
});

test("a protection that was given and taken is recorded without any other change", async () => {
  const place = await applied("daemon_vm.kept: { id: kept }");
  const protection = async (resource: string): Promise<string> => {
    place.write({ "main.vmform.yaml": `${provider}resources: { ${resource} }\n` });
    expect(await place.run("apply", "--auto-approve")).toMatchObject({ code: 0 });
    return JSON.stringify(await place.json("state", "show", "daemon_vm.kept"));
  };
  expect(await protection(kept)).toContain('"prevent_destroy":true');
  expect(await protection("daemon_vm.kept: { id: kept }")).toContain('"prevent_destroy":false');
});

test("a saved plan to destroy is applied although the configuration is broken", async () => {
  const place = await applied(pair);
  const settings = "vmform: { required_version: '>=0.1' }\n";
  place.write({
    "main.vmform.yaml": `${settings}${provider}resources: { daemon_vm.base: { idd: 1 } }\n`,
  });
  const file = `${place.folder}/plan`;
  expect(await place.run("plan", "--destroy", "--out", file)).toMatchObject({ code: 0 });
  const apply = await place.run("apply", file, "--allow", "destroy,power-off");
  expect(apply).toMatchObject({ code: 0 });
  expect(ids(place)).toEqual([]);
});

test("settings of a broken configuration are not used, which the stream says before the plan", async () => {
  const place = await applied(pair);
  place.write({
    "main.vmform.yaml":
      'providers: { daemon: { url: "http://127.0.0.1:1" } }\n' +
      "resources: { daemon_vm.base: { idd: 1, lifecycle: { prevent_destroy: true } } }\n",
  });
  const plan = await place.run("plan", "--destroy", "--json");
  expect(plan).toMatchObject({ code: 0 });
  expect(plan.stdout.indexOf("CFG045")).toBeGreaterThan(0);
  expect(plan.stdout.indexOf("CFG045")).toBeLessThan(plan.stdout.indexOf("planned_change"));
  expect(await place.run("destroy", "--auto-approve")).toMatchObject({ code: 0 });
  expect(ids(place)).toEqual([]);
});

test("a configuration that lost its resources is not used, unless it gives up all of them", async () => {
  const place = await applied(`${kept}, daemon_vm.other: { id: other }`);
  for (const removed of ["", "removed: [{ from: daemon_vm.kept }]\n"]) {
    place.write({ "main.vmform.yaml": `${provider}${removed}` });
    const destroy = await place.run("destroy", "--auto-approve");
    expect(destroy).toMatchObject({ code: 1 });
    expect(destroy.stderr).toContain("CFG045");
    expect(destroy.stdout).toContain("PLN007");
    expect(ids(place)).toEqual(["kept", "other"]);
  }
  const all = "removed: [{ from: daemon_vm.kept }, { from: daemon_vm.other }]\n";
  place.write({ "main.vmform.yaml": `${provider}${all}` });
  const destroy = await place.run("destroy", "--auto-approve");
  expect(destroy).toMatchObject({ code: 0 });
  expect(destroy.stderr).not.toContain("CFG045");
  expect(ids(place)).toEqual([]);
});

test.each<[string, Keeping, boolean, string | undefined]>([
  ["not used, and none recorded", { by: "record" }, false, "CLI020"],
  ["not used, and recorded", { by: "record" }, true, undefined],
  ["a sound configuration", { by: "configuration", protected: [], lifted: [] }, false, undefined],
])("settings of a provider, %s", (_name, keeping, known, code) => {
  const place = { kind: "local", path: "state.json", beside: "state.json" } as const;
  const settings = { state: place, written: place, workspace: "default" } as const;
  const desired = {
    ...unused({ settings }),
    declared: [{ address: address("daemon_vm.a") }],
  };
  const state = recordedState([recordedObject("daemon_vm.a", { provider: "daemon" })], {
    providers: known ? [{ name: "daemon", settings: {} }] : [],
  });
  const environment = { types: {}, remark: () => {} };
  const options = { mode: "destroy", select: selectAll } as const;
  const refused = (): readonly string[] => {
    try {
      plannable(environment, options, { ...desired, keeping }, state);
      return [];
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      return error.diagnostics.map((diagnostic) => diagnostic.code);
    }
  };
  expect(refused()).toEqual(code === undefined ? [] : [code]);
});
