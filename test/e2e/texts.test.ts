/**
 * Texts that wires, paths and files have to write in forms of their own: sent and kept as they are,
 * read back equal, found again at their addresses.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { some } from "../helpers/amount.ts";
import { createPlace, type Place } from "./place.ts";

let place: Place;
afterEach(() => place.remove());

const apply = ["apply", "--auto-approve", "--allow", "power-off,power-cycle,replace,destroy"];

const texts = {
  "line ends of Windows": "one\r\ntwo\r\n",
  "line ends": "one\ntwo\n",
  "spaces around": "  two  ",
  "a tab": "a\tb",
  "quotes and signs": `"'\\ <a&b> 100% #1 ?x=y;z`,
  "an escape in a path": "%2F%20",
  "an expression": "${vars.x}",
  "another script": "日本語 ünï 😀",
  "two forms of one letter": "e\u0301 \u00e9",
  "a number": "0123",
  "a large number": "9007199254740993",
  "a word": "null",
  "a long text": "x".repeat(3000),
} as const;

/** As YAML: what looks like an expression is a text. */
function quote(text: string): string {
  return JSON.stringify(text.replaceAll("${", () => "$${"));
}

test.each(some(Object.entries(texts), 1))("%s", async (_what, text) => {
  place = await createPlace();
  const inPath = text.replaceAll(/[/\\\p{Cc}]/gu, "-").slice(0, 200);
  place.write(
    [
      "  daemon_vm.v:",
      `    for_each: [${quote(inPath)}]`,
      "    id: ${each.key}",
      `    name: ${quote(text)}`,
      `    tag: ${quote(text)}`,
      "    power: on",
      "    folder_sharing: true",
      "  daemon_shared_folder.f:",
      `    for_each: [${quote(inPath)}]`,
      "    vm_id: ${daemon_vm.v[each.key].id}",
      "    guest_path: ${each.key}",
      `    host_path: ${quote(`/srv/${text}`)}`,
    ].join("\n"),
    "outputs: { name: { value: '${daemon_vm.v.map(k, daemon_vm.v[k].name)[0]}' } }",
  );
  await place.run(0, ...apply);
  expect(place.simulators.world().daemon.vms).toMatchObject([
    {
      id: inPath,
      name: text,
      tag: text,
      power: "on",
      folders: [{ guestPath: inPath, hostPath: `/srv/${text}` }],
    },
  ]);
  const { stdout } = await place.run(0, "output", "name", "--json");
  expect(JSON.parse(stdout)).toBe(text);
  await place.run(0, "plan", "--detailed-exitcode");
  await place.run(0, "drift");
  const address = `daemon_vm.v[${JSON.stringify(inPath)}]`;
  await place.run(0, ...apply, "--replace", address);
  await place.run(0, "plan", "--detailed-exitcode");
  await place.run(0, "destroy", "--auto-approve", "--target", address);
  expect(place.simulators.world().daemon.vms).toEqual([]);
});

test("a daemon that listens on 127.0.0.1 alone is found as localhost", async () => {
  place = await createPlace();
  place.write("  daemon_vm.a: { id: a, power: on }");
  const file = place.file("main.vmform.yaml");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace("127.0.0.1", "localhost"));
  await place.run(0, ...apply);
  expect(place.power("a")).toBe("on");
  // Whether it is the same daemon under another name nobody can know: it is asked once.
  writeFileSync(file, text);
  const { stdout } = await place.run(2, "plan", "--detailed-exitcode");
  expect(stdout).toContain("PLN031");
  await place.run(0, "apply", "--refresh-only", "--auto-approve", "--allow", "endpoint");
  await place.run(0, "plan", "--detailed-exitcode");
});
