/** Random ids. */

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freshId } from "../../../src/wiring/fresh-id.ts";

const odd = join(mkdtempSync(join(tmpdir(), "vmform-id-")), "uuid");
writeFileSync(odd, "00000000-0000-0000-0000-000000000000\n");

test.each([
  ["Linux", undefined],
  ["a system that gives none", join(odd, "missing")],
  ["a system that gives another thing", odd],
])("each is another UUID of version 4, of %s", (_name, source) => {
  const ids = Array.from({ length: 200 }, () => freshId(source));
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  expect(new Set(ids).size).toBe(200);
});
