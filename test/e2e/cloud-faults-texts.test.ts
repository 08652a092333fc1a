/**
 * Names and descriptions of all kinds go to a cloud and come back as they were: found by a filter
 * whose language they hold, compared with what was read, and never taken for numbers.
 */

import { afterEach, expect, test } from "vitest";
import type { CloudDocument } from "../../src/simulators/cloud/world/world-document.ts";
import { some } from "../helpers/amount.ts";
import { type CloudPlace, createCloudPlace, users } from "./cloud-place.ts";

let place: CloudPlace;
afterEach(() => place.remove());

const apply = ["apply", "--auto-approve", "--allow", "power-off,power-cycle,destroy"];

const texts = {
  "a number": "0123",
  "a large number": "10e5",
  "a number with a point": "1.10",
  "a hexadecimal number": "0x1F",
  "a boolean": "true",
  "a null": "null",
  "signs of XML": `R&D <web> "1" 'a'`,
  "what XML would decode twice": "a &amp;lt; b &#8211;",
  "the language of filters": "a;b,c(d)==e!=f*g",
  "a star alone": "*",
  "signs of URLs": "50% a+b/c?d#e=f",
  "spaces inside": "my  web 1",
  "an expression": "${vars.x}",
  "another script": "日本語 ünï 😀",
  "a semicolon and a backslash": "a\\;b",
} as const;

/** As a configuration writes it: what looks like an expression is a text. */
function written(text: string): string {
  return text.replaceAll("${", () => "$${");
}

const servers: readonly CloudDocument["rules"][] = [
  { dialect: "neutral", xml: "plain" },
  { dialect: "vendor", xml: "prefixed" },
];

/** Each with one of the servers. */
const rows = Object.entries(texts).map(
  ([what, text], index) => [what, text, servers[index % servers.length] ?? {}] as const,
);

test.each(some(rows, 3))("%s", async (_what, text, rules) => {
  place = await createCloudPlace({
    users,
    rules,
    datastores: { old: {}, target: { name: text } },
    vapps: {
      one: { name: text, vms: { a: { name: text, power: "on" }, near: { name: `${text}x` } } },
      two: { name: "two", vms: { b: { name: text } } },
    },
  });
  const name = written(text);
  place.write({
    "cloud_vm.a": { name, vapp_name: name, datastore: name, power: "on" },
    "cloud_snapshot.a": { vm: "${cloud_vm.a.href}", name, description: name },
  });
  await place.run(0, ...apply);
  const { datastores, vms } = place.simulators.world().cloud;
  const target = datastores.find(({ key }) => key === "target")?.id;
  expect(vms.filter(({ datastoreId }) => datastoreId === target).map(({ key }) => key)).toEqual([
    "a",
  ]);
  expect(place.vm("a").snapshot).toMatchObject({ name: text });
  await place.run(0, "plan", "--detailed-exitcode");
  await place.run(0, "drift");
  await place.change({ rename_cloud_vm: { vm: "a", name: `${text}!` } });
  const { stdout } = await place.run(2, "drift", "--json");
  expect(stdout).toContain(JSON.stringify({ recorded: text, observed: `${text}!` }).slice(1, -1));
});
