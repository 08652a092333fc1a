/**
 * Lists of a cloud that come in pages which do not fit together: read again until they do, or given
 * up with the reason; a VM between two pages is never "not there".
 */

import { afterEach, expect, test } from "vitest";
import type { CloudDocument } from "../../src/simulators/cloud/world/world-document.ts";
import type { OutsideChange } from "../../src/simulators/core.ts";
import {
  type CloudPlace,
  createCloudPlace,
  isMutation,
  type Resources,
  users,
} from "./cloud-place.ts";

const names = Array.from({ length: 60 }, (_none, index) => `v${String(index).padStart(2, "0")}`);
const sizable: CloudDocument = {
  users,
  rules: { page_size_max: 10 },
  datastores: { old: {} },
  vapps: { shop: { vms: Object.fromEntries(names.map((name) => [name, { power: "on" }])) } },
};
/** More than are asked for by name. */
const wanted: Resources = Object.fromEntries(
  names.slice(0, 40).map((name) => [`cloud_vm.${name}`, { name, power: "on" }]),
);

let place: CloudPlace;
afterEach(() => place.remove());

function pagesRead(): number {
  return place.simulators.log().filter(({ path }) => path.startsWith("/api/query")).length;
}

test("all pages are read", async () => {
  place = await createCloudPlace(sizable);
  place.write(wanted);
  const { stdout } = await place.run(0, "plan");
  expect(stdout).toContain("Plan: 40 to adopt, 0 to add, 0 to change, 0 to destroy.");
  expect(pagesRead()).toBeGreaterThanOrEqual(6);
});

const grown: OutsideChange = { add_cloud_vm: { vm: "fresh", vapp: "shop" } };
const shrunk: OutsideChange = { delete_cloud_vm: { vm: "v59" } };

test.each([
  ["one more", [grown]],
  ["one less", [shrunk]],
  ["one more and one less, so that the total stays", [grown, shrunk]],
])("a list that changes between two pages: %s", async (_name, changes) => {
  for (const nth of [2, 4, 6]) {
    place = await createCloudPlace(sizable);
    place.write(wanted);
    await place.setFaults(
      ...changes.map((change, index) => ({
        on: "GET /api/query",
        nth: nth + index,
        change,
      })),
    );
    const { stdout } = await place.run(0, "plan");
    expect(stdout).toContain("Plan: 40 to adopt, 0 to add, 0 to change, 0 to destroy.");
    await place.remove();
  }
  place = await createCloudPlace(sizable);
});

/** Ten VMs, as one page of sixty. */
function page(attributes: string): string {
  const records = names.slice(0, 10).map((name, index) => {
    const id = `00000000-0000-4000-8000-00000000000${index}`;
    return `<AdminVMRecord name="${name}" status="POWERED_ON" href="http://x/api/vApp/vm-${id}"/>`;
  });
  const namespace = "http://www.vendor.com/cloud/v1.5";
  return `<QueryResultRecords xmlns="${namespace}" ${attributes}>${records.join("")}</QueryResultRecords>`;
}

test.each([
  [
    "the first page, whatever is asked",
    'total="60" page="1" pageSize="10"',
    "came instead of page",
  ],
  ["one page over and over, unnumbered", 'total="60"', "the pages do not fit together"],
  ["more records than it counts", 'total="3" page="1" pageSize="10"', "though the total is 3"],
  ["a total that is no number", 'total="many" page="1"', "many"],
])("a server that gives %s", async (_name, attributes, says) => {
  place = await createCloudPlace(sizable);
  place.write(wanted);
  const headers = { "content-type": "application/vnd.vendor.cloud.query.records+xml;version=5.1" };
  const reply = { status: 200, headers, body: page(attributes) };
  await place.setFaults({ on: "GET /api/query", times: "always", reply });
  for (const words of [["plan"], ["apply", "--auto-approve"]]) {
    const { stdout, stderr } = await place.run(1, ...words);
    expect(stdout + stderr).toContain(says);
    expect(stdout + stderr).toContain("This holds for 40 objects");
  }
  expect(pagesRead()).toBeLessThan(60);
  expect(place.simulators.log().filter(isMutation)).toEqual([]);
});
