/** The conformance suite of vmform over this package: `node --test`. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { packageChecks } from "vmform/provider/testing";
import dns from "./index.js";

/** A folder with an empty zone. */
async function world() {
  const folder = await mkdtemp(join(tmpdir(), "dns-"));
  const zone = join(folder, "zone");
  return {
    settings: { zone_file: zone },
    unreachable: { zone_file: folder },
    snapshot: () => readFile(zone, "utf8").catch(() => ""),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

const samples = [
  {
    type: "dns_record",
    create: { name: "www", kind: "A", value: "192.0.2.1", ttl: 60 },
    update: { value: "192.0.2.2" },
  },
];

for (const check of packageChecks(dns, { world, samples })) void test(check.name, check.run);
