/**
 * Replies that cannot be read, and sessions that are refused, while a cloud is only read: nothing
 * is taken for "nothing there", nothing is planned on it, and recorded state stays as it was.
 */

import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FaultDocument } from "../../src/simulators/faults.ts";
import { some } from "../helpers/amount.ts";
import { type CloudPlace, createCloudPlace, password, type Resources } from "./cloud-place.ts";
import { secretsIn } from "./secret-forms.ts";

const shop: Resources = {
  "cloud_vm.a": { name: "a", power: "on" },
  "cloud_vm.b": { name: "b", power: "on", nested_hv_enabled: false },
};

let place: CloudPlace;
beforeEach(async () => {
  place = await createCloudPlace();
  place.write(shop);
  await place.run(0, "apply", "--auto-approve");
});
afterEach(() => place.remove());

const query = { on: "GET /api/query", times: "always" } as const;
const vm = { on: "GET /api/vApp/vm-*", times: "always" } as const;
const xml = { "content-type": "application/vnd.vendor.cloud.query.records+xml;version=5.1" };
const head = '<QueryResultRecords xmlns="http://www.vendor.com/cloud/v1.5" total="1"';
const reply = (body: string, status = 200, headers: { [name: string]: string } = xml) => ({
  reply: { status, body, headers },
});

type Row = {
  readonly name: string;
  readonly fault: FaultDocument;
  readonly says: readonly string[];
  /** Only the VM that is asked itself is hidden. */
  readonly onlyB?: true;
};

const rows: readonly Row[] = [
  {
    name: "a page for people instead of a list",
    fault: { ...query, foreign: {} },
    says: ["an HTML page", "instead of XML"],
  },
  {
    name: "a page for people instead of a VM",
    fault: { ...vm, foreign: {} },
    says: ["an HTML page"],
    onlyB: true,
  },
  {
    name: "a proxy's 502",
    fault: { ...query, ...reply("<html>Bad gateway", 502, { "content-type": "text/html" }) },
    says: ["status 502", "Bad gateway", "next try in"],
  },
  {
    name: "a list that is cut",
    fault: { ...query, cut: 400 },
    says: ["connection closed"],
  },
  {
    name: "a list that ends in the middle, as if it were whole",
    fault: { ...query, ...reply(`${head}><VMRecord name="a"`) },
    says: ["instead of XML"],
  },
  {
    name: "a list with a DOCTYPE",
    fault: { ...query, ...reply(`<!DOCTYPE x [<!ENTITY y "z">]>${head}>&y;</QueryResultRecords>`) },
    says: ["instead of XML"],
  },
  {
    name: "elements in elements without end",
    fault: { ...query, ...reply(`${head}>${"<a>".repeat(5000)}`) },
    says: ["instead of XML"],
  },
  {
    name: "ten megabytes of something else",
    fault: { ...query, ...reply(`${head}>${"x".repeat(10_000_000)}`) },
    says: ["instead of XML"],
  },
  {
    name: "a compressed list that nobody asked for",
    fault: { ...query, ...reply("x", 200, { ...xml, "content-encoding": "br" }) },
    says: ["content encoding br"],
  },
  {
    name: "an empty reply",
    fault: { ...query, ...reply("") },
    says: ["empty body"],
  },
  {
    name: "another document instead of a list",
    fault: { ...query, ...reply('<Vm xmlns="http://www.vendor.com/cloud/v1.5"/>') },
    says: ["instead of the result of a query"],
  },
  {
    name: "a list in another namespace",
    fault: { ...query, ...reply('<QueryResultRecords xmlns="urn:other" total="0"/>') },
    says: ["instead of the result of a query"],
  },
  {
    name: "an error in the server's own words",
    fault: { ...query, refusal: { status: 500, message: "java.lang.NullPointerException" } },
    says: ["the cloud answered 500", "java.lang.NullPointerException"],
  },
  {
    name: "an error under a status of success",
    fault: {
      ...query,
      ...reply(
        '<Error xmlns="http://www.vendor.com/cloud/v1.5" majorErrorCode="500" ' +
          'minorErrorCode="INTERNAL_SERVER_ERROR" message="no"/>',
      ),
    },
    says: ["the cloud answered 500 INTERNAL_SERVER_ERROR: no"],
  },
  {
    name: "a list and no VM behind it",
    fault: { ...vm, refusal: { status: 500, message: "Cannot be read." } },
    says: ["Cannot be read"],
    onlyB: true,
  },
];

test.each(some(rows, 3))("$name", async ({ fault, says, onlyB }) => {
  await place.setFaults(fault);
  for (const command of ["drift", "plan"]) {
    const state = readFileSync(place.file("state/default.json"), "utf8");
    const { stdout, stderr } = await place.run(1, command);
    const said = `${stdout}\n${stderr}`;
    for (const words of says) expect(said).toContain(words);
    expect(/cloud_vm\.a[:,]/.test(said)).toBe(onlyB !== true);
    expect(said).not.toMatch(/missing|deleted|will be/);
    expect(readFileSync(place.file("state/default.json"), "utf8")).toBe(state);
  }
  const sent = await place.logged(() => place.run(1, "apply", "--auto-approve"));
  expect(sent.filter((entry) => entry.class === "mutate")).toEqual([]);
  await place.setFaults();
  await place.run(0, "plan", "--detailed-exitcode");
  await place.run(0, "drift");
});

test("the search for secrets finds them where they are", () => {
  const login = Buffer.from(`admin@system:${password}`).toString("base64");
  expect(secretsIn(`Basic ${login}`, password)).not.toEqual([]);
  expect(secretsIn(JSON.stringify({ password }), password)).toContain("JSON");
  expect(secretsIn("nothing", password)).toEqual([]);
  // Tokens are known to the search, and the log of requests that is searched has its requests.
  expect(place.secrets.size).toBe(2);
  const log = readFileSync(place.file("http.jsonl"), "utf8");
  expect(log).toContain('"x-cloud-authorization":"***"');
  expect(log).toContain('"authorization":"***"');
});
