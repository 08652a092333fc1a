/** The file of `drift --history`, when several runs write it at once. */

import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readHistory } from "../../src/drift/history.ts";
import { createPlace, type Place } from "./place.ts";

let place: Place;
beforeEach(async () => {
  place = await createPlace();
});
afterEach(() => place.remove());

test("of runs at once none loses its line", async () => {
  place.write("  daemon_vm.web: { id: web }");
  await place.run(0, "apply", "--auto-approve");
  const file = place.file("history.jsonl");
  await Promise.all(Array.from({ length: 8 }, () => place.run(0, "drift", "--history", file)));
  expect(readHistory(readFileSync(file, "utf8"))).toHaveLength(8);
});
