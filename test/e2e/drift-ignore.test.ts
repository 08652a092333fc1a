/** Rules that ignore drift: what they ignore is shown and counted, in every form of the report. */

import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPlace, type Place } from "./place.ts";

const two = [
  '  daemon_vm.web: { id: web, name: "Web", power: on }',
  "  daemon_vm.lone: { id: lone, power: on }",
].join("\n");

function rules(...lines: readonly string[]): string {
  const head = "vmform:\n  drift:\n    ignore:\n";
  return head + lines.map((line) => `      - { ${line} }\n`).join("");
}
const asked = "owner: ada, reason: waits for memory, until: 2999-12-31";

let place: Place;
beforeEach(async () => {
  place = await createPlace();
  place.write(two);
  await place.run(0, "apply", "--auto-approve");
  await place.simulators.change({ power_vm: { id: "web", power: "off" } });
});
afterEach(() => place.remove());

test("an attribute that is ignored is no drift, and stands in every form", async () => {
  place.write(two, rules(`address: daemon_vm.web, attribute: power_state, ${asked}`));
  const forms = ["html", "junit", "sarif", "gitlab"] as const;
  const files = forms.flatMap((form) => [`--${form}`, place.file(`drift.${form}`)]);
  const markdown = ["--out", place.file("drift.md"), "--format", "markdown"];
  const { stdout } = await place.run(0, "drift", ...files, ...markdown);
  expect(stdout).toContain("until 2999-12-31, ada: waits for memory");
  expect(stdout).toContain('daemon_vm.web: power_state: recorded "on", observed "off"');
  expect(stdout).toContain("No drift. 1 object in sync, 1 ignored.");
  for (const form of [...forms, "md"]) {
    const text = readFileSync(place.file(`drift.${form}`), "utf8");
    expect(text).toContain("waits for memory");
    expect(text).toContain("2999-12-31");
  }
  const json = await place.run(0, "drift", "--json");
  const report: unknown = JSON.parse(json.stdout.trimEnd().split("\n").at(-1) ?? "");
  expect(report).toMatchObject({
    counts: { drifted: 0, ignored: 1, attributes_ignored: 1, attributes_drifted: 0 },
    objects: [
      { address: "daemon_vm.lone", verdict: "in_sync", ignored: [] },
      {
        address: "daemon_vm.web",
        verdict: "ignored",
        drifted: [],
        ignored: [{ attribute: "power_state", observed: "off", by: { owner: "ada" } }],
      },
    ],
  });
});

test("what a rule does not name is drift as before", async () => {
  place.write(two, rules(`address: daemon_vm.web, attribute: power_state, ${asked}`));
  await place.simulators.change({ power_vm: { id: "lone", power: "off" } });
  const { stdout } = await place.run(2, "drift");
  expect(stdout).toContain("Drift: 1 drifted, 0 missing, 0 in sync, 1 ignored.");
  await place.simulators.change({ delete_vm: { id: "lone" } });
  const gone = await place.run(2, "drift");
  expect(gone.stdout).toContain("Drift: 0 drifted, 1 missing, 0 in sync, 1 ignored.");
});

test("a rule without attribute covers the object, also when it is gone", async () => {
  place.write(two, rules(`address: daemon_vm.lone, ${asked}`, `address: daemon_vm.web, ${asked}`));
  await place.simulators.change({ delete_vm: { id: "lone" } });
  const { stdout } = await place.run(0, "drift");
  expect(stdout).toContain("daemon_vm.lone is missing");
  expect(stdout).toContain("2 ignored");
});

test("an expired rule is told and ignores nothing", async () => {
  const expired = "owner: ada, reason: waits for memory, until: 2020-02-29";
  place.write(two, rules(`address: daemon_vm.web, attribute: power_state, ${expired}`));
  const { stdout, stderr } = await place.run(2, "drift");
  expect(stdout + stderr).toContain("CLI032");
  expect(stdout + stderr).toContain(
    "power_state of daemon_vm.web was ignored until 2020-02-29 (ada: waits for memory).",
  );
  expect(stdout).toContain("Drift: 1 drifted");
  expect(stdout).not.toContain("ignored.");
});

test("a rule that ignores nothing is told, unless its object could not be looked at", async () => {
  const all = rules(
    `address: daemon_vm.lone, attribute: name, ${asked}`,
    `address: daemon_vm.web, attribute: name, ${asked}`,
    `address: daemon_vm.wbe, ${asked}`,
  );
  place.write(two, all);
  const whole = await place.run(2, "drift");
  const told = whole.stdout + whole.stderr;
  expect(told).toContain("name of daemon_vm.lone does not differ");
  expect(told).toContain("daemon_vm.wbe is not recorded");
  expect(told).not.toContain("name of daemon_vm.web");
  const part = await place.run(0, "drift", "--target", "daemon_vm.lone");
  expect(part.stdout + part.stderr).not.toContain("CLI033");
});

test("a configuration that is broken elsewhere does not take the rules away", async () => {
  const broken = "outputs: { x: { value: '${daemon_vm.nobody.id}' } }";
  const rule = rules(`address: daemon_vm.web, attribute: power_state, ${asked}`);
  place.write(two, `${rule}\n${broken}`);
  const { stdout } = await place.run(1, "drift");
  expect(stdout).toContain("1 ignored");
});

test.each([
  ["address: daemon_vm, reason: r, owner: o, until: 2999-12-31", '"daemon_vm" is no address'],
  ["address: daemon_vm.web, reason: r, owner: o, until: 2999-02-30", '"2999-02-30" is no day'],
  ["address: daemon_vm.web, reason: r, owner: o, until: soon", '"soon" is no day'],
  ["address: daemon_vm.web, reason: r, until: 2999-12-31", "owner"],
])("a rule that cannot be meant: %s", async (rule, said) => {
  place.write(two, rules(rule));
  const { stdout, stderr } = await place.run(1, "drift");
  expect(stdout + stderr).toContain(said);
  expect(stdout + stderr).toMatch(/main\.vmform\.yaml:\d+:\d+/);
});
