/** `drift --accept`: what was shown is recorded, and written into the configuration, or nothing. */

import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runInside } from "../helpers/program.ts";
import { createPlace, type Place, serialOf } from "./place.ts";

const two = [
  "  # the front",
  '  daemon_vm.web: { id: web,   name: "Web", power: on } # kept as it is',
  "  daemon_vm.lone: { id: lone, power: on }",
].join("\n");

let place: Place;
beforeEach(async () => {
  place = await createPlace();
  place.write(two);
  await place.run(0, "apply", "--auto-approve");
  await place.simulators.change({ rename_vm: { id: "web", name: "Other" } });
});
afterEach(() => place.remove());

const main = (): string => readFileSync(place.file("main.vmform.yaml"), "utf8");
type Recorded = {
  readonly objects: readonly { readonly address: string; readonly attributes: object }[];
};
function recordedOf(address: string): object | undefined {
  const state = JSON.parse(readFileSync(place.file("state/default.json"), "utf8")) as Recorded;
  return state.objects.find((object) => object.address === address)?.attributes;
}

test("one attribute is recorded, and the configuration is named where it wants otherwise", async () => {
  await place.simulators.change({ power_vm: { id: "lone", power: "off" } });
  const before = main();
  const sent = await place.mutations(async () => {
    const run = await place.run(0, "drift", "--accept", "daemon_vm.web.name", "--auto-approve");
    expect(run.stdout).toContain('daemon_vm.web: name: recorded "Web" -> "Other"');
    expect(run.stdout).toMatch(/daemon_vm\.web: name to "Other" at .*main\.vmform\.yaml:4:\d+/);
    expect(run.stdout).toContain("Recorded. The configuration still wants something else.");
  });
  expect(sent).toEqual([]);
  expect(main()).toBe(before);
  await place.run(0, "state", "list");
  const left = await place.run(2, "drift", "--json");
  expect(left.stdout).toContain('"attributes_drifted":1');
  const shown = await place.run(0, "state", "show", "daemon_vm.web");
  expect(shown.stdout).toContain("Other");
});

test("written into the configuration, every other character of which stays", async () => {
  const before = main();
  const words = ["--accept", "daemon_vm.web", "--write-config", "--auto-approve"];
  const { stdout } = await place.run(0, "drift", ...words);
  expect(stdout).toContain('-   daemon_vm.web: { id: web,   name: "Web", power: on }');
  expect(stdout).toContain('+   daemon_vm.web: { id: web,   name: "Other", power: on }');
  expect(main()).toBe(before.replace('"Web"', '"Other"'));
  await place.run(0, "drift");
  await place.run(0, "plan", "--detailed-exitcode");
});

test("a file with a mark of its byte order and CRLF keeps both", async () => {
  const text = `\ufeff${main().replaceAll("\n", "\r\n")}`;
  writeFileSync(place.file("main.vmform.yaml"), text);
  const words = ["--accept", "daemon_vm.web.name", "--write-config", "--auto-approve"];
  await place.run(0, "drift", ...words);
  expect(main()).toBe(text.replace('"Web"', '"Other"'));
});

test.each([
  ["an expression", "locals: { n: Web }", "name: '${locals.n}'", "it is an expression"],
  ["used by others", "", "name: &n Web", "it is written elsewhere, for others as well"],
  ["several lines", "", "name: 'We\n    b'", "it is written as lines"],
  ["all instances", "", "name: Web, count: 1", "it is written once for all instances"],
])("what is not a value of its own is left to a person: %s", async (name, more, written, why) => {
  const address = name === "all instances" ? "daemon_vm.web[0]" : "daemon_vm.web";
  place.write(`  daemon_vm.web: { id: web, ${written}, power: on }`, more);
  if (name === "all instances") await place.run(0, "state", "mv", "daemon_vm.web", address);
  const before = main();
  const words = ["--accept", address, "--write-config", "--auto-approve"];
  const { stdout } = await place.run(0, "drift", ...words);
  expect(stdout).toContain(why);
  expect(stdout).toContain('name to "Other" at ');
  expect(main()).toBe(before);
});

test("a value that another resource is made of is not written for it unseen", async () => {
  const lone = '  daemon_vm.lone: { id: lone, tag: "${daemon_vm.web.name}", power: on }';
  place.write(`  daemon_vm.web: { id: web, name: Web, power: on }\n${lone}`);
  const before = main();
  const words = ["--accept", "daemon_vm.web.name", "--write-config", "--auto-approve"];
  const { stdout } = await place.run(0, "drift", ...words);
  expect(stdout).toContain("other values hang on it");
  expect(main()).toBe(before);
});

test("a text that would be an expression is not written", async () => {
  await place.simulators.change({ rename_vm: { id: "web", name: "${vars.x}" } });
  const before = main();
  const words = ["--accept", "daemon_vm.web.name", "--write-config", "--auto-approve"];
  await place.run(0, "drift", ...words);
  expect(main()).toBe(before);
});

test("a text that YAML would take for something else is quoted", async () => {
  place.write("  daemon_vm.web: { id: web, name: Web, power: on }\n");
  await place.simulators.change({ rename_vm: { id: "web", name: "0123, # {x}: 'y'" } });
  const words = ["--accept", "daemon_vm.web.name", "--write-config", "--auto-approve"];
  await place.run(0, "drift", ...words);
  expect(main()).toContain(`name: "0123, # {x}: 'y'", power: on`);
});

test("a line that may hold a secret is written and not shown", async () => {
  const secret = "outputs: { token: { value: hunter2-secret, sensitive: true } }";
  const line = `  daemon_vm.web: { id: web, name: Web, power: on } # password: hunter2-secret`;
  place.write(line, secret);
  const words = ["--accept", "daemon_vm.web.name", "--write-config", "--auto-approve"];
  const { stdout, stderr } = await place.run(0, "drift", ...words);
  expect(stdout + stderr).not.toContain("hunter2");
  expect(main()).toContain("name: Other, power: on } # password: hunter2-secret");
});

test("a Ctrl-C at the question ends it: nothing is written, and the lock is given back", async () => {
  const [serial, before] = [serialOf(place), main()];
  const words = ["drift", "--accept", "daemon_vm.web", "--write-config"];
  const { code } = await runInside(place.folder, words, { stopsAtQuestion: true });
  expect([code, serialOf(place), main()]).toEqual([130, serial, before]);
  await place.run(0, "drift", "--accept", "daemon_vm.web", "--auto-approve");
});

test("nobody who agrees: nothing is written", async () => {
  const [serial, before] = [serialOf(place), main()];
  const words = ["drift", "--accept", "daemon_vm.web", "--write-config"];
  const { stdout, stderr } = await place.run(1, ...words);
  expect(stdout + stderr).toContain("--auto-approve");
  expect(serialOf(place)).toBe(serial);
  expect(main()).toBe(before);
});

test.each([
  ["the value", "any more", () => place.simulators.change({ rename_vm: { id: "web", name: "3" } })],
  ["the file", "has changed since", async () => writeFileSync(place.file("main.vmform.yaml"), "#")],
])("%s has moved since it was shown: nothing is written", async (_name, said, move) => {
  const serial = serialOf(place);
  let moved: Promise<unknown> | undefined;
  const words = ["drift", "--accept", "daemon_vm.web", "--write-config", "--auto-approve"];
  const output = await runInside(place.folder, words, {
    onWrite: (text) => {
      if (text.includes("What is observed is recorded")) moved ??= move();
    },
  });
  await moved;
  expect(output.code).toBe(1);
  expect(output.stdout + output.stderr).toContain("CLI034");
  expect(output.stdout + output.stderr).toContain(said);
  expect(serialOf(place)).toBe(serial);
  expect(recordedOf("daemon_vm.web")).toMatchObject({ name: "Web" });
});

test.each([
  ["nothing differs", ["--accept", "daemon_vm.lone"], "there is nothing to accept"],
  ["another attribute", ["--accept", "daemon_vm.web.tag"], "there is nothing to accept"],
  ["nothing recorded", ["--accept", "daemon_vm.wbe"], "No object is recorded at daemon_vm.wbe"],
  ["no address", ["--accept", "web"], "web"],
  ["a report as well", ["--accept", "daemon_vm.web", "--every", "15m"], "--every"],
  ["without it", ["--write-config"], "--write-config belongs to --accept"],
])("refused: %s", async (_name, words, said) => {
  const serial = serialOf(place);
  const { stdout, stderr } = await place.run(1, "drift", ...words);
  expect(stdout + stderr).toContain(said);
  expect(serialOf(place)).toBe(serial);
});

test("given again, it says what is recorded already, and writes nothing", async () => {
  const words = ["drift", "--accept", "daemon_vm.web.name", "--auto-approve"];
  await place.run(0, ...words);
  const [serial, before] = [serialOf(place), main()];
  const { stdout } = await place.run(0, ...words);
  expect(stdout).toMatch(/daemon_vm\.web: name, at \d{4}-\S+ \(run /);
  expect(stdout).toContain("Recorded already. The configuration still wants something else.");
  // A name of its own says that this line is meant; with all of the object it is left to a person.
  const all = ["drift", "--accept", "daemon_vm.web", "--auto-approve", "--write-config"];
  expect((await place.run(0, ...all)).stdout).toContain("name it by itself to have it written");
  expect(main()).toBe(before);
  expect((await place.run(0, ...words, "--write-config")).stdout).toContain("is written");
  expect(main()).toBe(before.replace('"Web"', '"Other"'));
  expect(serialOf(place)).toBe(serial);
  await place.run(0, "plan", "--detailed-exitcode");
  // What has changed since is no repetition.
  await place.simulators.change({ rename_vm: { id: "web", name: "Third" } });
  expect((await place.run(0, ...words)).stdout).toContain('recorded "Other" -> "Third"');
});

test("an object that is gone is no value", async () => {
  await place.simulators.change({ delete_vm: { id: "lone" } });
  const words = ["--accept", "daemon_vm.lone", "--auto-approve"];
  const { stdout, stderr } = await place.run(1, "drift", ...words);
  expect(stdout + stderr).toContain("is missing, which is no value to accept");
});

test("as data, with what is left to do", async () => {
  const words = ["--accept", "daemon_vm.web.name", "--auto-approve", "--json"];
  const { stdout } = await place.run(0, "drift", ...words);
  expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
    accepted: true,
    values: [{ address: "daemon_vm.web", attribute: "name", recorded: "Web", observed: "Other" }],
    configuration: { status: "read", written: [], by_hand: [{ attribute: "name" }] },
  });
});

test("what an apply about something else has left unaccepted is accepted", async () => {
  place.write(two.replace("{ id: lone, power: on }", "{ id: lone, power: off }"));
  await place.run(0, "apply", "--auto-approve", "--allow", "power-off");
  expect((await place.run(2, "drift")).stdout).toContain("Drift: 1 drifted");
  await place.run(0, "drift", "--accept", "daemon_vm.web.name", "--auto-approve");
  const { stdout } = await place.run(0, "state", "show", "daemon_vm.web", "--json");
  expect(stdout).not.toContain("unaccepted");
  expect(stdout).toContain('"name":"Other"');
});
